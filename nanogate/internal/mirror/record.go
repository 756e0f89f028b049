package mirror

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
)

// Reason is why a request that should have been mirrored wasn't.
type Reason uint8

const (
	Queue       Reason = iota // too many waited, to be sent or to be compared
	Memory                    // too much was kept already
	RequestBody               // the request's body was longer than allowed, or its end was not waited for
	NoResponse                // its own endpoint's response is incomplete
	Stream                    // the response was a stream of events
	NoEndpoint                // the shadow has no endpoint
	Closed                    // the configuration has changed, or the gateway ends
	Files                     // no file was left for a connection to the shadow

	reasons = iota
)

// String is the reason's name in metrics.
func (r Reason) String() string {
	return [...]string{"queue", "memory", "request-body", "no-response", "stream", "no-endpoint", "closed", "files"}[r]
}

// Record is what mirroring a route has come to. It goes on when the route is changed, as
// long as what is mirrored and compared stays the same.
type Record struct {
	same, different, failed, unread atomic.Uint64
	dropped                         [reasons]atomic.Uint64
	first, second                   atomic.Int64 // ns that responses took together, of those that were compared

	fields []*counted // by what is compared, in the file's order

	mu      sync.Mutex
	samples []Sample // a ring
	next    int      // where the next one goes
	most    int
}

// counted is a thing that is compared, with how often it was different.
type counted struct {
	kind, field string
	count       atomic.Uint64
}

// Kinds of differences.
const (
	KindStatus = "status"
	KindGRPC   = "grpc-status"
	KindHeader = "header"
	KindJSON   = "json"
	KindBody   = "body"
)

// NewRecord makes the record of a mirror.
func NewRecord(c *config.Mirror) *Record {
	r := &Record{most: c.Samples}
	add := func(kind, field string) { r.fields = append(r.fields, &counted{kind: kind, field: field}) }
	if c.Compare.Status {
		add(KindStatus, "")
		add(KindGRPC, "")
	}
	for _, name := range c.Compare.Headers {
		add(KindHeader, name)
	}
	for _, path := range c.Compare.JSON {
		add(KindJSON, path)
	}
	if c.Compare.Body {
		add(KindBody, "")
	}
	return r
}

func (r *Record) drop(why Reason) { r.dropped[why].Add(1) }

// took adds up how long two responses took that are compared.
func (r *Record) took(c *Capture) {
	r.first.Add(c.first.took)
	r.second.Add(c.second.took)
}

// differ counts that a thing was different.
func (r *Record) differ(kind, field string) {
	for _, f := range r.fields {
		if f.kind == kind && f.field == field {
			f.count.Add(1)
			return
		}
	}
}

// keep keeps a sample in place of the oldest.
func (r *Record) keep(s Sample) {
	if r.most == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.samples) < r.most {
		r.samples = append(r.samples, s)
		return
	}
	r.samples[r.next] = s
	r.next = (r.next + 1) % r.most
}

// Samples returns the latest requests whose responses differed or are missing, the
// newest first.
func (r *Record) Samples() []Sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Concat(r.samples[r.next:], r.samples[:r.next])
	slices.Reverse(all)
	return all
}

// Counts are the figures of a record.
type Counts struct {
	Same      uint64 // what was compared is the same
	Different uint64
	Failed    uint64 // the shadow's response was incomplete or late
	Unread    uint64 // of same and different, those of which the bodies couldn't be compared
	Dropped   map[Reason]uint64
	Differed  []Differed
	// First and Second are how long the responses of both took together, of the same and
	// the different.
	First, Second time.Duration
}

// Differed is how often a thing was different.
type Differed struct {
	Kind  string `json:"kind"`
	Field string `json:"field,omitempty"` // a header field or a JSONPath, as the configuration has it
	Count uint64 `json:"count"`
}

// Read returns the figures.
func (r *Record) Read() Counts {
	c := Counts{Same: r.same.Load(), Different: r.different.Load(), Failed: r.failed.Load(), Unread: r.unread.Load(), Dropped: map[Reason]uint64{},
		First: time.Duration(r.first.Load()), Second: time.Duration(r.second.Load())}
	for why := range r.dropped {
		if n := r.dropped[why].Load(); n > 0 {
			c.Dropped[Reason(why)] = n
		}
	}
	for _, f := range r.fields {
		c.Differed = append(c.Differed, Differed{f.kind, f.field, f.count.Load()})
	}
	return c
}

// wall is the wall clock's time so many ns ago.
func wall(ago int64) int64 { return time.Now().UnixNano() - ago }
