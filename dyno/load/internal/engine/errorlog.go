package engine

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http1"
)

// How many failures are kept of each kind: the first ones, and some of the
// others, each with the same chance.
const (
	firstKept  = 5
	chanceKept = 5
)

// ErrorLog keeps the first error of each kind, and some failed requests in full. Loops
// share it.
type ErrorLog struct {
	mu       sync.Mutex
	kinds    [measure.NumErrorKinds]failures
	causes   map[measure.Cause]uint64 // with a count of 0
	broken   string                   // why a loop could not go on; "" if all could
	Location string                   // where the first redirect leads
	allowed  int                      // streams a connection that a server allows, if that is fewer than configured
	limited  bool                     // allowed is set
	rng      *rand.Rand
}

// failures are those of one kind.
type failures struct {
	first i18n.Message // why the first of them failed
	kept  []measure.Failure
	seen  int
}

// NewErrorLog returns an empty log; the seed decides which failures are kept of many.
func NewErrorLog(seed uint64) *ErrorLog {
	return &ErrorLog{rng: rand.New(rand.NewPCG(seed, 2<<32))}
}

// note keeps an error that belongs to no request.
func (l *ErrorLog) note(kind measure.ErrorKind, why i18n.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[kind].note(why)
}

// note keeps why the first of the kind failed.
func (f *failures) note(why i18n.Message) {
	if f.first.IsZero() {
		f.first = why
	}
}

// broke notes why a loop can't go on.
func (l *ErrorLog) broke(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == "" {
		l.broken = err.Error()
	}
}

// allows notes how many streams a server allows on a connection, which is fewer than
// configured. Of several the least counts.
func (l *ErrorLog) allows(streams int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.limited || streams < l.allowed {
		l.allowed, l.limited = streams, true
	}
}

// Allowed is the least number of streams that the server allows on a connection; ok is
// false if that is no fewer than configured.
func (l *ErrorLog) Allowed() (streams int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.allowed, l.limited
}

// Firsts returns why the first of each kind failed, by the kind's name; a loop that
// could not go on is the kind "generator".
func (l *ErrorLog) Firsts() map[string]i18n.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := make(map[string]i18n.Message)
	for kind := range measure.NumErrorKinds {
		if why := l.kinds[kind].first; !why.IsZero() {
			first[kind.String()] = why
		}
	}
	if l.broken != "" {
		first["generator"] = i18n.Verbatim(l.broken)
	}
	return first
}

// whyUnconnected is why the first connection failed, or what was to begin on it; "" if
// nothing did.
func (l *ErrorLog) whyUnconnected() i18n.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.kinds[measure.ConnectError].first, l.kinds[measure.HandshakeError].first)
}

// mostCauses bounds the names that errors are counted by.
const mostCauses = 100

// cause counts an error by a name, which is finer than its kind.
func (l *ErrorLog) cause(kind measure.ErrorKind, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := measure.Cause{Kind: kind.String(), Name: name}
	if _, known := l.causes[c]; !known && len(l.causes) >= mostCauses {
		c.Name = "others"
	}
	if l.causes == nil {
		l.causes = make(map[measure.Cause]uint64)
	}
	l.causes[c]++
}

// Causes returns what was counted by name, the most frequent first.
func (l *ErrorLog) Causes() []measure.Cause {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []measure.Cause
	for c, n := range l.causes {
		c.Count = n
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b measure.Cause) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// judged counts a complete response with the given status: as completed, or as the error
// it is.
func (l *ErrorLog) judged(x *exchange, status int, rec *Recorder, t Times) {
	rec.countStatus(status, t.Intended)
	if IsRedirect(status) && !rec.redirected {
		rec.redirected = true
		l.redirected(x)
	}
	kind, why := x.judge(status)
	l.settle(x, kind, why, rec, t)
}

// settle counts a complete response that was judged: why is "" if it is as expected.
func (l *ErrorLog) settle(x *exchange, kind measure.ErrorKind, why i18n.Message, rec *Recorder, t Times) {
	if why.IsZero() {
		rec.completed(x.request, t)
		return
	}
	rec.wrong(x.request, kind, t)
	l.failed(x, kind, why, t.Done)
}

// judgedMessage counts a complete response to a message: as completed, or as the error
// it is.
func (l *ErrorLog) judgedMessage(x *exchange, rec *Recorder, t Times) {
	l.settle(x, measure.ExpectError, x.judgeMessage(), rec, t)
}

// failed keeps a failed request, or not, at instant now (CLOCK_MONOTONIC, ns).
func (l *ErrorLog) failed(x *exchange, kind measure.ErrorKind, why i18n.Message, now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &l.kinds[kind]
	f.note(why)
	f.seen++
	switch at := l.place(f.seen); {
	case at == len(f.kept):
		f.kept = append(f.kept, failureOf(x, kind, why, now))
	case at >= 0:
		f.kept[at] = failureOf(x, kind, why, now)
	}
}

// place returns where the n-th failure is kept, -1 if it is not: the first ones
// always, of the rest a fair sample (Vitter 1985, algorithm R).
func (l *ErrorLog) place(n int) int {
	if n <= firstKept+chanceKept {
		return n - 1
	}
	if i := l.rng.IntN(n - firstKept); i < chanceKept {
		return firstKept + i
	}
	return -1
}

func failureOf(x *exchange, kind measure.ErrorKind, why i18n.Message, now int64) measure.Failure {
	f := measure.Failure{Kind: kind.String(), Why: why, At: time.Duration(now)}
	if x.request != nil {
		f.Request, f.Sent, f.Received = x.request.Name, sample(x.sentText()), sample(x.kept)
	}
	return f
}

// Failures returns what was kept, in the order it happened, with times since
// the instant start.
func (l *ErrorLog) Failures(start int64) []measure.Failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []measure.Failure
	for i := range l.kinds {
		all = append(all, l.kinds[i].kept...)
	}
	for i := range all {
		all[i].At -= time.Duration(start)
	}
	slices.SortStableFunc(all, func(a, b measure.Failure) int { return int(a.At - b.At) })
	return all
}

// sample returns a message as it is kept: cut, and without secrets.
func sample(raw []byte) string {
	text := strings.ToValidUTF8(blank(string(raw[:min(len(raw), http1.MaxHead+maxSample)])), "\ufffd")
	if len(text) > maxSample {
		text = strings.ToValidUTF8(text[:maxSample], "") + "…"
	}
	return text
}

// blank hides the secrets in a message's head, and in those of interim responses before
// it.
func blank(text string) string {
	head, rest, whole := strings.Cut(text, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	for i, line := range lines {
		if name, value, ok := strings.Cut(line, ":"); i > 0 && ok && request.IsSecret(name) && strings.TrimSpace(value) != "" {
			lines[i] = name + ": " + request.Redacted
		}
	}
	if whole && isInterim(head) {
		rest = blank(rest)
	}
	text = strings.Join(lines, "\r\n")
	if whole {
		text += "\r\n\r\n" + rest
	}
	return text
}
