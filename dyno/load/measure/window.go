package measure

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/finding"
)

// Clock names one of the times taken of every request. There is never one
// unnamed "latency".
type Clock int

const (
	Response         Clock = iota // done − intended: what a user waiting on schedule sees
	Service                       // done − sent: what the server and network took
	Lag                           // sent − intended: how late the request was sent
	FirstByte                     // first byte of the response − sent
	Connect                       // TCP connection established − connect called
	FullHandshake                 // TLS handshake with a key exchange and certificates, from connected to done
	ResumedHandshake              // TLS handshake that resumed a TLS session
	ReadDelay                     // bytes read − received by the kernel; only if Spec.KernelTimestamps
	Message                       // of calls with several responses: a message received − the one before it, the first − sent
	NumClocks
)

// String returns the clock's name as used in files and flags.
func (c Clock) String() string {
	return [...]string{"response", "service", "lag", "first_byte", "connect", "tls_full", "tls_resumed", "read_delay", "message"}[c]
}

// Limits that counts of a window go by; dyno/docs/findings.md explains them.
const (
	// LateAfter is how long after its intended start an arrival may be taken up
	// before it counts as late.
	LateAfter = 2 * time.Millisecond
	// StallSuspect is how long a loop may be away before the windows of responses
	// meanwhile are marked.
	StallSuspect = 10 * time.Millisecond
)

// Window is one second of a load as the generator saw it. Offered counts by
// intended time, Sent by sending time, Completed and the histograms by
// completion time.
type Window struct {
	Index  int           `json:"index"`  // 0 is the first measured second; negative while warming up
	Start  int64         `json:"start"`  // CLOCK_MONOTONIC, ns
	Length time.Duration `json:"length"` // ns; the last window may be shorter or, while draining, longer

	Offered   uint64 `json:"offered"`        // arrivals the schedule wanted (closed loop: equals Sent)
	Late      uint64 `json:"late,omitempty"` // arrivals that the generator took up more than 2 ms after their time
	Sent      uint64 `json:"sent"`           // requests whose first byte went to the kernel
	Completed uint64 `json:"completed"`      // complete responses with the expected status
	Shed      uint64 `json:"shed"`           // arrivals given up: no connection was free and, if they may wait, the backlog was full
	Errors    Errors `json:"errors"`
	// Statuses counts the complete responses by status, those that drained among
	// them; nil if there were none, or they were not counted.
	Statuses map[int]uint64 `json:"statuses,omitempty"`
	// Codes counts the gRPC calls with a complete response by the name of their status,
	// such as OK; nil if there were none.
	Codes map[string]uint64 `json:"grpc_codes,omitempty"`
	// Unconnected is how many of those that failed as Errors.Connect had waited
	// for their connection until the time limit.
	Unconnected uint64 `json:"unconnected,omitempty"`

	// After the measured time what was due by then is still sent, and responses are
	// waited for, up to Spec.Drain. They count in the last window: SentLate is how many
	// of Sent were sent then, and Drained how many responses came, which are in its
	// histograms but not in its throughput. What never came, or was never sent, counts
	// as Unfinished; of a closed loop's only what had taken longer than any response in
	// the window.
	SentLate   uint64 `json:"sent_late,omitempty"`
	Drained    uint64 `json:"drained,omitempty"`
	Unfinished uint64 `json:"unfinished,omitempty"`
	// Unsent is how many of Unfinished were never sent.
	Unsent uint64 `json:"unsent,omitempty"`
	// CutOff is how many requests of a closed loop were under way at the end and had taken
	// no longer than others: that says nothing of their times.
	CutOff uint64 `json:"cut_off,omitempty"`
	// ErredApart is how many of Errors belong to no request, such as connections that did
	// not come up and that none waited for.
	ErredApart uint64 `json:"erred_apart,omitempty"`
	// Carried is, in a total, how many of Completed were due in the warm-up or in a window
	// that is left out: they are in its throughput, and in no other figure.
	Carried uint64 `json:"carried,omitempty"`
	// Parts hold, for some earlier windows, what became here of the arrivals that were
	// due in them, which is in this window's counts and histograms too; Index is that of
	// the other window. See [Window.Settle].
	Parts []Window `json:"parts,omitempty"`
	// Queued is how many arrivals found no connection free and had to wait for one.
	Queued uint64 `json:"queued,omitempty"`

	BytesIn  uint64 `json:"bytes_in"`
	BytesOut uint64 `json:"bytes_out"`
	Connects uint64 `json:"connects"` // connections established

	// Resent is how many segments TCP sent again on the load's own connections. They
	// are read when connections are closed and at the ends of windows, on 256 of a loop
	// in turn, so that with more of them it may be counted a little later. Not known of
	// the portable engine, nor of connections that don't last.
	Resent uint64 `json:"resent,omitempty"`

	// Resubmitted is how many requests were sent again over HTTP/2, as the server had
	// not looked at them (RFC 9113 8.7). They count once in Sent, and from then on.
	Resubmitted uint64 `json:"resubmitted,omitempty"`

	// Messages are those of connections that carry them.
	Messages Messages `json:"messages,omitzero"`

	InFlight float64 `json:"in_flight"` // time-weighted mean of requests due or sent and not yet done
	// Unrecorded is the time, in request·ns, that requests were in flight in this
	// window and that its response times do not hold: of those that failed, and of
	// those under way at its end, less what its responses were under way before it
	// and after it.
	Unrecorded time.Duration `json:"unrecorded,omitempty"`
	CPUUser    time.Duration `json:"cpu_user"` // of the generator's loops, ns
	CPUSys     time.Duration `json:"cpu_sys"`  // of the generator's loops, ns
	Spun       time.Duration `json:"spun"`     // of it, CPU time spent polling for the next arrival to come due, ns
	Stall      time.Duration `json:"stall"`    // longest time a loop was away when it should have been polling, or that held up responses of this window, ns
	// Away is for how long in all loops were away for so long at once that it is a stall
	// ([StallSuspect]), each counted on its own, ns; 0 in archives of before it was.
	Away time.Duration `json:"away,omitempty"`
	Busy time.Duration `json:"busy,omitempty"` // longest part of a time away that a loop is known to have been at work with something else, ns

	Health *Health `json:"health,omitempty"` // of the generator's process and machine

	Findings []finding.Finding `json:"findings,omitempty"`

	// Hist holds one histogram of nanoseconds per Clock. It is archived beside
	// the JSON, not in it.
	Hist [NumClocks]*hdrhistogram.Histogram `json:"-"`
	// Waited holds, for clocks on which requests were given up, how long those had
	// taken by then, where it is known: see [Window.GivenUp]. Archived like Hist.
	Waited [NumClocks]*hdrhistogram.Histogram `json:"-"`
}

// Worked is the CPU time of the generator's loops without what they spent polling.
func (w *Window) Worked() time.Duration { return max(w.CPUUser+w.CPUSys-w.Spun, 0) }

// Validity is the worst level among the window's findings that are not accepted.
func (w *Window) Validity() finding.Validity { return finding.Worst(w.Findings) }

// Warmup reports whether the window precedes the measured time.
func (w *Window) Warmup() bool { return w.Index < 0 }

// Throughput is how much was completed a second.
func (w *Window) Throughput() float64 {
	if w.Length <= 0 {
		return 0
	}
	return float64(w.Completed) / w.Length.Seconds()
}

// Add adds a window, without its histograms, to a total.
func (t *Window) Add(w *Window) {
	length := t.Length + w.Length
	if length > 0 {
		t.InFlight = (t.InFlight*float64(t.Length) + w.InFlight*float64(w.Length)) / float64(length)
	}
	t.Length = length
	t.AddCounts(w)
}

// AddCounts adds o's counts to w. Stalls don't add up: the longest stays.
func (w *Window) AddCounts(o *Window) {
	w.Offered += o.Offered
	w.Late += o.Late
	w.Sent += o.Sent
	w.Completed += o.Completed
	w.Drained += o.Drained
	w.Unfinished += o.Unfinished
	w.Unsent += o.Unsent
	w.CutOff += o.CutOff
	w.ErredApart += o.ErredApart
	w.Carried += o.Carried
	w.SentLate += o.SentLate
	w.Queued += o.Queued
	w.Resent += o.Resent
	w.Resubmitted += o.Resubmitted
	w.Shed += o.Shed
	w.Errors.Add(o.Errors)
	w.Statuses = AddStatuses(w.Statuses, o.Statuses)
	w.Codes = AddCodes(w.Codes, o.Codes)
	w.Unconnected += o.Unconnected
	w.BytesIn += o.BytesIn
	w.BytesOut += o.BytesOut
	w.Connects += o.Connects
	w.Messages.Add(o.Messages)
	w.CPUUser += o.CPUUser
	w.CPUSys += o.CPUSys
	w.Spun += o.Spun
	w.Unrecorded += o.Unrecorded
	w.Away += o.Away
	w.Stall, w.Busy = max(w.Stall, o.Stall), max(w.Busy, o.Busy)
}
