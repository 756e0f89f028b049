// Package tracing makes requests take part in distributed traces (W3C Trace Context),
// and exports those that are sampled to a collector, by OTLP.
//
// Passing a trace on is all that most requests need: that allocates nothing and waits
// for nothing. A request that is sampled is copied into a queue of bounded length when
// it has ended; what there is no room for is dropped and counted.
package tracing

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/stats"
)

// Tracer is a gateway's. It goes on as long as the gateway does; what is sampled and
// where it is exported to may change.
type Tracer struct {
	settings atomic.Pointer[config.Trace]
	log      *slog.Logger

	mu     sync.Mutex // of the exporter's changes
	export atomic.Pointer[exporter]

	exported, dropped, failed atomic.Uint64 // requests
}

// New makes a tracer. Its [Tracer.Close] must be called.
func New(c *config.Trace, log *slog.Logger) *Tracer {
	t := &Tracer{log: log}
	t.Configure(c)
	return t
}

// Configure changes what is sampled and where it is exported to.
func (t *Tracer) Configure(c *config.Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.settings.Swap(c)
	if before != nil && before.OTLP == c.OTLP && before.Headers == c.Headers && before.Service == c.Service && before.Queue == c.Queue {
		return
	}
	var next *exporter
	if c.OTLP != "" {
		var err error
		if next, err = newExporter(t, c); err != nil {
			t.log.Error("traces can't be exported, and are only passed on", "error", err)
		}
	}
	if old := t.export.Swap(next); old != nil {
		old.close()
	}
}

// Close exports what there is, for a second at most, and ends.
func (t *Tracer) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.export.Swap(nil); old != nil {
		old.close()
	}
}

// Counts are requests that were sampled.
type Counts struct {
	Exported uint64
	Dropped  uint64 // there was no room in the queue
	Failed   uint64 // the collector didn't take them
}

// Counts returns how many became what.
func (t *Tracer) Counts() Counts {
	return Counts{Exported: t.exported.Load(), Dropped: t.dropped.Load(), Failed: t.failed.Load()}
}

// Route is an observer that traces one route's requests.
type Route struct {
	Tracer   *Tracer
	Name     string          // of the route
	Pattern  string          // of its path
	Counters *stats.Counters // that get exemplars
}

// A note is the trace's id, the request's own span, the client's span and flags; of a
// request that is sampled its attributes follow.
const (
	noteSpan   = 16
	noteParent = noteSpan + 8
	noteFlags  = noteParent + 8
	noteTexts  = noteFlags + 1

	noteSampled = 1
	noteSecure  = 2
	noteHTTP10  = 4
	noteHTTP2   = 8
)

// Seen implements observe.Observer: it continues the client's trace or begins one, and
// has the upstream know.
func (o *Route) Seen(r *request.Request, note []byte) []byte {
	s := o.Tracer.settings.Load()
	from := len(note)
	p, ok := parent{}, false
	if s.Follow {
		p, ok = parentOf(r)
	}
	client := p.span
	if !ok {
		client = [8]byte{}
		binary.LittleEndian.PutUint64(p.trace[:8], rand.Uint64())
		binary.LittleEndian.PutUint64(p.trace[8:], rand.Uint64()|1) // not all zero
		if p.flags = 0; s.Sample > 0 && rand.Float64() < s.Sample {
			p.flags = flagSampled
		}
		r.Drop("tracestate") // it belongs to the trace that was replaced (3.2.3)
	}
	span := rand.Uint64()>>1 | 1 // those that follow it are this request's tries
	binary.BigEndian.PutUint64(p.span[:], span+1)
	var buf [parentSize]byte
	r.Forward("traceparent", appendParent(buf[:0], &p))
	r.Trace = request.Trace{ID: p.trace, Sampled: p.flags&flagSampled != 0}

	note = append(note, p.trace[:]...)
	note = binary.BigEndian.AppendUint64(note, span)
	note = append(append(note, client[:]...), 0)
	if !r.Trace.Sampled {
		return note
	}
	flags := byte(noteSampled)
	if r.Secure {
		flags |= noteSecure
	}
	switch {
	case r.HTTP2:
		flags |= noteHTTP2
	case r.Head.Minor == 0:
		flags |= noteHTTP10
	}
	note[from+noteFlags] = flags
	note = appendText(note, r.Method(), 32)
	note = appendText(note, r.Path, 1024)
	note = appendText(note, r.Authority(), 256)
	agent, _ := r.Header("user-agent")
	note = appendText(note, agent, 256)
	var address [64]byte
	if r.Client.IsValid() {
		return appendText(note, r.Client.AppendTo(address[:0]), len(address))
	}
	return appendText(note, nil, 0)
}

func appendText(note, text []byte, most int) []byte {
	text = text[:min(len(text), most)]
	return append(binary.LittleEndian.AppendUint16(note, uint16(len(text))), text...)
}

// Mark implements observe.Marker: each try has a span of its own, which is the parent
// of what the upstream does.
func (o *Route) Mark(head, note []byte, try int) {
	field := []byte("\r\ntraceparent: ")
	at := bytes.Index(head, field)
	if at < 0 || len(head) < at+len(field)+parentSize {
		return
	}
	var span [8]byte
	binary.BigEndian.PutUint64(span[:], binary.BigEndian.Uint64(note[noteSpan:])+1+uint64(try))
	hex.Encode(head[at+len(field)+spanAt:], span[:])
}

// Ended implements observe.Observer: it hands a request that is sampled to the
// exporter.
func (o *Route) Ended(out *request.Outcome, note []byte) {
	if note[noteFlags]&noteSampled == 0 {
		return
	}
	now := time.Now()
	took := time.Duration(out.Ended - out.Began)
	o.Counters.Exemplify(&stats.Exemplar{Trace: [16]byte(note[:16]), Took: took, At: now})
	e := o.Tracer.export.Load()
	if e == nil {
		return
	}
	s := &sampled{route: o, outcome: *out, note: slices.Clone(note), wall: now.UnixNano() - clock.Now()}
	s.outcome.Trail = slices.Clone(out.Trail)
	select {
	case e.queue <- s:
	default:
		o.Tracer.dropped.Add(1)
	}
}
