package evidence

// Stage is what a request waited for, or had done for it.
type Stage string

// The stages. Each instant of a request belongs to one.
const (
	Generator   Stage = "generator"     // the load's own: between due and sent, and from bytes at the client to its taking them
	Connect     Stage = "connect"       // its connection was being made
	Network     Stage = "network"       // on its way to the server's socket, or back to the client's
	Retransmit  Stage = "retransmit"    // the same, and something was sent again
	AcceptQueue Stage = "accept-queue"  // on a connection that the server had not accepted yet
	Unread      Stage = "receive-queue" // bytes were there, and who reads them had nothing to do with it, or isn't known
	LoopQueue   Stage = "loop-queue"    // its thread served other sockets
	Scheduler   Stage = "scheduler"     // bytes were there, and none of the server's threads was on its way to them
	CPUWait     Stage = "cpu-wait"      // its thread could have run; another program or thread did
	Throttled   Stage = "throttled"     // its thread could have run; its group had used up its quota
	Stolen      Stage = "steal"         // its thread's CPU stood still: the hypervisor had it
	OnCPU       Stage = "on-cpu"        // its thread ran
	Lock        Stage = "lock"          // its thread waited for a futex or a lock of a file
	Disk        Stage = "disk"
	Upstream    Stage = "upstream"   // for another server's response
	DNS         Stage = "dns"        // for a name server's
	PageFault   Stage = "page-fault" // for memory
	Collect     Stage = "gc"         // for its runtime's collection of garbage
	Interrupt   Stage = "interrupt"  // its thread's CPU served interrupts
	Sleep       Stage = "sleep"
	Poll        Stage = "poll"    // its thread waited for events, and for which of them is not known
	Stopped     Stage = "stopped" // its process was stopped or frozen
	Blocked     Stage = "blocked" // in another system call
	SendQueue   Stage = "send-queue"
	Unexplained Stage = "unexplained"
)

// Stages are all stages, in the order in which a request passes them.
func Stages() []Stage {
	return []Stage{Generator, Connect, Network, Retransmit, AcceptQueue, Unread, LoopQueue, Scheduler, CPUWait, Throttled, Stolen, OnCPU, Lock, Disk,
		Upstream, DNS, PageFault, Collect, Interrupt, Sleep, Poll, Stopped, Blocked, SendQueue, Unexplained}
}
