package evidence

// Kind is what happened.
type Kind uint16

// The kinds of events. The first are of a thread; of the others, the first are of a socket
// of the server's port, and the last of sockets that it has to others.
const (
	SwitchOut Kind = iota + 1
	SwitchIn
	Waking
	Ready // bytes came
	Received
	Sent
	State
	Retransmitted
	ClientReady // bytes came at the client's end, if that is on this machine
	UpstreamSent
	UpstreamReady
	UpstreamReceived
	UpstreamState
	ThreadLearnt
	Tick       // of a CPU's clock, while the thread ran: A is what it was at
	Parked     // a goroutine, Subject, was not running: Text is why; B how many ns ago that was looked at before
	Collecting // the process collected garbage; B as above
	Stall      // the clock of CPU A was late by B ns: the CPU stood still
)

// What a thread was at when the clock of its CPU ticked. The event's Subject and Text are where
// its own code was, and what called that: three addresses, 0 where that isn't known.
const (
	tickUser = iota + 1
	tickKernel
	tickFault
	tickInterrupt
)

// Flags and states of a SwitchOut's A, as the kernel has them.
const (
	Preempted   = 1 << 30 // it could have run on
	OutOfQuota  = 1 << 29 // its group is throttled; also of a Waking
	uninterrupt = 0x02    // TASK_UNINTERRUPTIBLE
	halted      = 0x04 | 0x08 | 0x8000
)

// Event is something that happened in the kernel, as events.bpf.c writes it: 64 bytes.
type Event struct {
	Seq     uint64 // in its CPU's ring
	Time    int64  // CLOCK_MONOTONIC, ns
	Subject uint64 // connection (ConnectionID), or socket of an upstream; of a SwitchOut the system call's first argument
	Thread  int32
	Process int32
	Faults  uint32 // page faults of the thread so far
	Kind    Kind
	Call    int16  // the system call that the thread is in, -1 if none
	A, B    uint32 // bytes; states; of a SwitchIn the CPU; B also the thread that runs instead, ran before or wakes
	Text    [16]byte
}

// comm is the name of the event's other thread.
func (e *Event) comm() string {
	for i, c := range e.Text {
		if c == 0 {
			return string(e.Text[:i])
		}
	}
	return string(e.Text[:])
}

// ofThread reports whether an event says what a thread did on a CPU.
func (e *Event) ofThread() bool { return e.Kind <= Waking }

// inThread reports whether a thread was running when the event came, and is named in it.
func (e *Event) inThread() bool {
	switch e.Kind {
	case Received, Sent, UpstreamSent, UpstreamReceived, Tick:
		return true
	}
	return false
}
