package evidence

import "fmt"

// Class says why there is a record of a request.
type Class string

// The classes of records.
const (
	Tail  Class = "tail"  // it was slow: above the threshold that was learnt
	Match Class = "match" // it wasn't, and is like a slow one: same connection, kind and second
	Body  Class = "body"  // it wasn't, and was drawn at random
)

// Record is a request's closed budget.
type Record struct {
	Sequence     uint32  `json:"sequence"` // from 1
	Class        Class   `json:"class"`
	Of           uint32  `json:"of,omitempty"` // the sequence of the slow one that a match is for
	Weight       float64 `json:"weight"`       // how many requests of its class it stands for
	Connection   string  `json:"connection"`   // the client's address and port
	ConnectionID uint64  `json:"id"`           // the same, as in Served
	Shared       bool    `json:"shared,omitempty"`
	Kind         int     `json:"kind"`    // its place in the load's mix
	Ordinal      uint32  `json:"ordinal"` // among the connection's requests, from 1
	Age          int64   `json:"age"`     // of the connection when it was sent, ns
	Size         int64   `json:"size"`    // bytes of the response's body
	Status       int     `json:"status,omitempty"`
	Failed       bool    `json:"failed,omitempty"`
	Window       int     `json:"window"` // the second in which it was due, from the measured time's beginning

	// CLOCK_MONOTONIC, ns. First is 0 if no byte of a response came.
	Intended int64 `json:"intended"`
	Sent     int64 `json:"sent"`
	First    int64 `json:"first,omitempty"`
	Done     int64 `json:"done"`

	// Intervals cover the time from Intended to Done, in order, without gap or overlap.
	Intervals    []Interval     `json:"intervals"`
	Retransmits  uint32         `json:"retransmits,omitempty"`
	ZeroWindows  uint32         `json:"zero_windows,omitempty"` // sendings that found the client's window closed
	SendQueue    uint32         `json:"send_queue,omitempty"`   // most bytes seen in the server's send queue
	Faults       uint32         `json:"faults,omitempty"`       // page faults of its threads meanwhile
	Incomplete   []Gap          `json:"incomplete,omitempty"`
	ServerTiming []ServerTiming `json:"server_timing,omitempty"` // what the service said of its time
}

// Gap says what of a request's evidence is missing.
type Gap string

// The gaps.
const (
	Overwritten Gap = "overwritten"   // events were overwritten before they were read
	NotTraced   Gap = "not-traced"    // there is no event of its connection
	ReadNotSeen Gap = "read-not-seen" // the server took the request in a way that is not traced, such as splice
	SendNotSeen Gap = "send-not-seen" // the same of its response
)

// Interval is a part of a request's time.
type Interval struct {
	Stage  Stage    `json:"stage"`
	From   int64    `json:"from"` // ns since the request was due
	To     int64    `json:"to"`
	Thread int32    `json:"thread,omitempty"`
	Reason string   `json:"reason,omitempty"` // the system call, [Nagle], or what else there is to say
	By     *Task    `json:"by,omitempty"`     // who had the CPU instead, or who ended the wait
	Others []Served `json:"others,omitempty"` // what the thread did instead; the longest 8
	Peer   string   `json:"peer,omitempty"`   // address and port of the other server
	Faults uint32   `json:"faults,omitempty"` // page faults in it
	// Behind says that it is the time of another request: of one that had the connection for
	// which this one waited in the load.
	Behind bool `json:"behind,omitempty"`
	// Estimated says that its length is reckoned: from samples of what its thread was at, or
	// from a count of faults, and then it stands at the end of what it was taken from.
	Estimated bool `json:"estimated,omitempty"`
}

// Task is a thread of any program.
type Task struct {
	PID    int32  `json:"pid"` // the thread's
	Comm   string `json:"comm"`
	Cgroup string `json:"cgroup,omitempty"` // of who had a CPU instead; empty for the root, and if it isn't known
}

// Served is a connection that was served instead, and for how long.
type Served struct {
	Connection uint64 `json:"connection"`
	Took       int64  `json:"took"` // ns
}

// Response is the request's response time in ns.
func (r *Record) Response() int64 { return r.Done - r.Intended }

// Budget is how long each stage took, in ns; together they are the response time.
func (r *Record) Budget() map[Stage]int64 {
	budget := make(map[Stage]int64)
	for i := range r.Intervals {
		budget[r.Intervals[i].Stage] += r.Intervals[i].To - r.Intervals[i].From
	}
	return budget
}

// Check says what is wrong with a record that was read, such as a budget that isn't closed.
func (r *Record) Check() error {
	if r.Done < r.Intended {
		return fmt.Errorf("record %d: done %d is before intended %d", r.Sequence, r.Done, r.Intended)
	}
	at := int64(0)
	for i := range r.Intervals {
		if v := &r.Intervals[i]; v.From != at || v.To < v.From {
			return fmt.Errorf("record %d: interval %d is from %d to %d, and must begin at %d", r.Sequence, i, v.From, v.To, at)
		}
		at = r.Intervals[i].To
	}
	if at != r.Response() {
		return fmt.Errorf("record %d: its intervals end at %d, the request at %d", r.Sequence, at, r.Response())
	}
	return nil
}
