package load

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/nano/wire/http1"
)

// Failure is one failed request, kept whole for the report.
type Failure struct {
	Kind    string `json:"kind"`              // as the JSON names of [Errors]
	Request string `json:"request,omitempty"` // its name in the mix
	Why     string `json:"why"`
	// At is when it failed, in ns since the measured time began; negative while
	// warming up.
	At time.Duration `json:"at"`
	// Sent and Received are the request and as much of the answer as was there;
	// of a complete answer, its body without chunk framing. They are cut at
	// 8 KiB, and the values of headers that are secrets are blanked out. Paths
	// and bodies are kept as they are.
	Sent     string `json:"sent,omitempty"`
	Received string `json:"received,omitempty"`
}

// How many failures are kept of each kind: the first ones, and some of the
// others, each with the same chance.
const (
	firstKept  = 5
	chanceKept = 5
)

// errorLog keeps the first error of each kind, and some failed requests whole.
// Loops share it.
type errorLog struct {
	mu    sync.Mutex
	first map[string]string
	kinds map[string]*failures
	rng   *rand.Rand

	location string // where the first redirect leads
}

// failures are those of one kind.
type failures struct {
	kept []Failure
	seen int
}

func newErrorLog(seed uint64) *errorLog {
	return &errorLog{
		first: make(map[string]string), kinds: make(map[string]*failures), rng: rand.New(rand.NewPCG(seed, 2<<32)),
	}
}

// note keeps an error that belongs to no request.
func (l *errorLog) note(kind, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.first[kind]; !ok {
		l.first[kind] = text
	}
}

// judged counts a complete answer with the given status, to a request intended
// at an instant: as completed, or as the error it is.
func (l *errorLog) judged(x *exchange, status int, rec *recorder, intended, now int64) {
	rec.told(status)
	if isRedirect(status) && !rec.redirected {
		rec.redirected = true
		l.redirected(x)
	}
	kind, why := x.judge(status)
	rec.answeredKind(x.request, kind, now-intended)
	switch kind {
	case "":
		rec.completed()
		return
	case "status":
		rec.Errors.Status++
	case "expect":
		rec.Errors.Expect++
	}
	l.failed(x, kind, why, now)
}

// failed keeps a failed request, or not, at instant now (CLOCK_MONOTONIC, ns).
func (l *errorLog) failed(x *exchange, kind, why string, now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.first[kind]; !ok {
		l.first[kind] = why
	}
	f := l.kinds[kind]
	if f == nil {
		f = new(failures)
		l.kinds[kind] = f
	}
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
func (l *errorLog) place(n int) int {
	if n <= firstKept+chanceKept {
		return n - 1
	}
	if i := l.rng.IntN(n - firstKept); i < chanceKept {
		return firstKept + i
	}
	return -1
}

func failureOf(x *exchange, kind, why string, now int64) Failure {
	f := Failure{Kind: kind, Why: why, At: time.Duration(now)}
	if x.request != nil {
		f.Request, f.Sent, f.Received = x.request.name, sample(x.sent()), sample(x.kept)
	}
	return f
}

// failures returns what was kept, in the order it happened, with times since
// the instant start.
func (l *errorLog) failures(start int64) []Failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Failure
	for _, f := range l.kinds {
		all = append(all, f.kept...)
	}
	for i := range all {
		all[i].At -= time.Duration(start)
	}
	slices.SortStableFunc(all, func(a, b Failure) int { return int(a.At - b.At) })
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

// blank hides the secrets in a message's head, and in those of interim answers
// before it.
func blank(text string) string {
	head, rest, whole := strings.Cut(text, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	for i, line := range lines {
		if name, value, ok := strings.Cut(line, ":"); i > 0 && ok && IsSecret(name) && strings.TrimSpace(value) != "" {
			lines[i] = name + ": " + Redacted
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
