// Package explain says why the slow requests of a run were slow: what they had in common
// that ordinary ones had not, and which share of the tail that accounts for. It is a pure
// function of a run's record: of closed budgets of requests ([evidence.Record]) where there
// are some, and otherwise, which is weaker, of what was recorded each second.
//
// What it names is association. That a cause was removed and the tail became shorter, on the
// same schedule, is what shows more.
package explain

// Name is what a cause is called, in reports, files and docs.
type Name string

// The causes. The list is closed: dyno/docs/causes.md has them all, with what each means.
const (
	GC           Name = "gc"
	Allocation   Name = "allocation"
	Scheduler    Name = "scheduler"
	LoopQueue    Name = "loop-queue"
	CPUWait      Name = "cpu-wait"
	Throttled    Name = "throttled"
	Steal        Name = "steal"
	Frequency    Name = "frequency"
	Interrupt    Name = "interrupt"
	Stopped      Name = "stopped"
	Work         Name = "work"
	Sleep        Name = "sleep"
	Lock         Name = "lock"
	Disk         Name = "disk"
	PageFault    Name = "page-fault"
	Blocked      Name = "blocked"
	DNS          Name = "dns"
	Upstream     Name = "upstream"
	Connect      Name = "connect"
	Handshake    Name = "handshake"
	AcceptQueue  Name = "accept-queue"
	ReceiveQueue Name = "receive-queue"
	SendQueue    Name = "send-queue"
	Retransmit   Name = "retransmit"
	NetworkDelay Name = "network-delay"
	Generator    Name = "generator"
	Unexplained  Name = "unexplained"
)

// Names are all causes, in the order of the docs: the program and its runtime, the CPU, the
// machine, other servers, the network, the load itself, and what is left.
func Names() []Name {
	names := make([]Name, 0, len(meanings))
	for i := range meanings {
		names = append(names, meanings[i].Name)
	}
	return names
}
