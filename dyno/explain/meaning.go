package explain

import "dyno.example/internal/i18n"

// Meaning is what there is to say about a cause in general.
type Meaning struct {
	Name  Name
	Means i18n.Message // what it is
	Seen  i18n.Message // how it is seen, request by request and by seconds
	Do    i18n.Message // what people do about it
}

// MeaningOf is what a cause means.
func MeaningOf(name Name) Meaning {
	for i := range meanings {
		if meanings[i].Name == name {
			return meanings[i]
		}
	}
	return Meaning{Name: name}
}

// Meanings are those of all causes, in the order of [Names].
func Meanings() []Meaning { return append([]Meaning(nil), meanings...) }

var meanings = []Meaning{
	{GC,
		i18n.New("cause.gc.means", "The runtime collected garbage: it stopped the program, or its collector's threads and its share of the work on allocating goroutines took the CPU."),
		i18n.New("cause.gc.seen", "By requests, of Go programs with symbols: waiting for a thread of the program that is at the collector's functions, by samples each millisecond, or its own time there. Of others, by seconds: pauses and CPU time of collections, where the runtime tells, and time on the CPU, runnable or waiting to be scheduled that is longer in seconds with more of them."),
		i18n.New("cause.gc.do", "Allocate less; give the heap more room (GOGC, GOMEMLIMIT, -Xmx); keep large live data in fewer, pointer-free objects; a concurrent collector.")},
	{Allocation,
		i18n.New("cause.allocation.means", "The program allocated much more in the slow seconds than in others: that costs time itself, also apart from collections."),
		i18n.New("cause.allocation.seen", "By seconds: bytes allocated, where the runtime tells."),
		i18n.New("cause.allocation.do", "Find the requests that allocate so much (a heap profile), reuse buffers, stream instead of building whole bodies.")},
	{Scheduler,
		i18n.New("cause.scheduler.means", "The request's bytes were there, and nothing of the program was on its way to them: a goroutine, task or pool's worker was not yet scheduled."),
		i18n.New("cause.scheduler.seen", "By requests: unread bytes while no thread of the program was woken for them, or, where connections go from thread to thread, while threads did other things. By seconds: the time goroutines were runnable before they ran, where the runtime tells."),
		i18n.New("cause.scheduler.do", "More workers or CPUs; GOMAXPROCS as the quota has it; bound the goroutines that compute; handlers that don't occupy the pool while they wait.")},
	{LoopQueue,
		i18n.New("cause.loop-queue.means", "The bytes were there, and the event loop that was to read them served other connections meanwhile."),
		i18n.New("cause.loop-queue.seen", "By requests: between the arrival of the bytes and their reading, the thread that read them worked on other sockets; which ones, and for how long, is told."),
		i18n.New("cause.loop-queue.do", "Take long work off the loop, cut it into pieces, use more loops, or put slow routes elsewhere.")},
	{CPUWait,
		i18n.New("cause.cpu-wait.means", "A thread of the program, or of the load, could have run, and another one had the CPU."),
		i18n.New("cause.cpu-wait.seen", "By requests: runnable and not running, and which thread ran instead; whether it was the load's thread that waited is told. By seconds: time on the run queue of all threads."),
		i18n.New("cause.cpu-wait.do", "Fewer programs on these CPUs, CPUs of its own (cpuset, pinning), fewer threads that compute, less load.")},
	{Throttled,
		i18n.New("cause.throttled.means", "The program's cgroup had used up its quota of CPU time and had to wait for the next period. It looks like a busy CPU, and isn't one."),
		i18n.New("cause.throttled.seen", "By requests: runnable while the group was throttled. By seconds: the time throttled of the cgroup."),
		i18n.New("cause.throttled.do", "A higher limit, or none; as many threads as the quota has CPUs (GOMAXPROCS); a shorter period; spread bursts.")},
	{Steal,
		i18n.New("cause.steal.means", "The hypervisor gave the CPU to another machine, or the CPU stood still for another reason that the system doesn't see."),
		i18n.New("cause.steal.seen", "By requests: the clock of the CPU that its thread had, or was to get, ticked late: nothing ran there. By seconds: the steal time of all CPUs."),
		i18n.New("cause.steal.do", "Dedicated CPUs or another machine; measure again at another hour.")},
	{Frequency,
		i18n.New("cause.frequency.means", "The CPU ran more slowly: it saves power, or was too hot."),
		i18n.New("cause.frequency.seen", "By seconds: the clock rate of the subject's CPUs, where the machine tells."),
		i18n.New("cause.frequency.do", "The governor performance, no deep idle states, cooling; `dyno machine tune`.")},
	{Interrupt,
		i18n.New("cause.interrupt.means", "The CPU served interrupts: of network cards, disks and timers, and the kernel's work that follows."),
		i18n.New("cause.interrupt.seen", "By requests: on the CPU of its thread, and interrupted there, by samples each millisecond. By seconds: the time CPUs spent in interrupts."),
		i18n.New("cause.interrupt.do", "Steer interrupts to other CPUs (irqbalance, RPS), coalesce them, fewer and larger packets.")},
	{Stopped,
		i18n.New("cause.stopped.means", "The process was stopped by a signal, a debugger or the freezer."),
		i18n.New("cause.stopped.seen", "By requests: its threads were in the state stopped or traced."),
		i18n.New("cause.stopped.do", "Find out who stopped it: a debugger, a profiler, a snapshot of the container or the machine.")},
	{Work,
		i18n.New("cause.work.means", "The request itself took more CPU time than others of its kind."),
		i18n.New("cause.work.seen", "By requests: longer on the CPU between read and response, and in no seconds in particular; the system calls that took most of it are told."),
		i18n.New("cause.work.do", "Profile the slow requests: larger input, an algorithm that grows faster than it, a cold cache, code that is compiled on the way.")},
	{Sleep,
		i18n.New("cause.sleep.means", "The program itself waited: a sleep, a timer, a pause before a retry."),
		i18n.New("cause.sleep.seen", "By requests: in nanosleep, or in a poll with a timeout, between read and response."),
		i18n.New("cause.sleep.do", "Look for retries with a pause, polling, and limits of rates in the handler.")},
	{Lock,
		i18n.New("cause.lock.means", "It waited for a lock that another thread held."),
		i18n.New("cause.lock.seen", "By requests: in futex between read and response, and which thread ended the wait. Locks of goroutines don't come to the kernel: of Go programs with symbols the runtime's own word is read, of others they are time that its thread waited for events. By seconds: what goroutines waited for mutexes, where the runtime tells."),
		i18n.New("cause.lock.do", "Hold locks for shorter, and not across input and output; split or shard what they protect; a profile of mutexes and blocking.")},
	{Disk,
		i18n.New("cause.disk.means", "It waited for a disk: fsync, reading or writing of files."),
		i18n.New("cause.disk.seen", "By requests: off the CPU in fsync, fdatasync, or in a system call that reads or writes files. By seconds: the machine's pressure for input and output."),
		i18n.New("cause.disk.do", "Group commits, write in the background, another disk; look for what else writes there, such as a nightly job.")},
	{PageFault,
		i18n.New("cause.page-fault.means", "Memory was touched that was not mapped yet, or had to be read from disk."),
		i18n.New("cause.page-fault.seen", "By requests: on the CPU in the kernel's handling of faults, of mapping and of unmapping, by samples each millisecond, or blocked in one. By seconds: faults of the process."),
		i18n.New("cause.page-fault.do", "Touch memory beforehand, reuse mappings, huge pages, no swap, memory enough for the page cache.")},
	{Blocked,
		i18n.New("cause.blocked.means", "It was off the CPU in a system call, or its goroutine in a wait, that belongs to none of the other causes."),
		i18n.New("cause.blocked.seen", "By requests: off the CPU, and the name of the system call, or the runtime's word for the wait, is told."),
		i18n.New("cause.blocked.do", "Look at what the call waits for: a pipe, another goroutine, a pool.")},
	{DNS,
		i18n.New("cause.dns.means", "It waited for a name server."),
		i18n.New("cause.dns.seen", "By requests: off the CPU for a socket whose peer's port is 53."),
		i18n.New("cause.dns.do", "Keep connections to upstreams, cache names, a nearer resolver, fewer search domains (ndots).")},
	{Upstream,
		i18n.New("cause.upstream.means", "It waited for another server: a database, a cache, another service."),
		i18n.New("cause.upstream.seen", "By requests: off the CPU until another socket had bytes; its address is told. By seconds, of gateways whose upstream dyno started: the upstream's time on the run queue and throttled."),
		i18n.New("cause.upstream.do", "Explain the upstream in the same way; time limits, hedged requests, pools of the right size.")},
	{Connect,
		i18n.New("cause.connect.means", "The connection had to be made first."),
		i18n.New("cause.connect.seen", "By requests: due before its connection was established. By seconds: the time that connects took."),
		i18n.New("cause.connect.do", "Keep connections open for longer, more of them, and warm them up.")},
	{Handshake,
		i18n.New("cause.handshake.means", "The TLS handshake had to be done first."),
		i18n.New("cause.handshake.seen", "By seconds: the time that handshakes took."),
		i18n.New("cause.handshake.do", "Keep connections, resume sessions, ECDSA certificates, handshakes beside the event loop.")},
	{AcceptQueue,
		i18n.New("cause.accept-queue.means", "The connection was established in the kernel and the program had not accepted it yet, or the queue was full and its packet dropped."),
		i18n.New("cause.accept-queue.seen", "By requests: bytes on a connection that was not accepted. By seconds: overflows and drops of listening sockets."),
		i18n.New("cause.accept-queue.do", "Accept in a loop until there is none, a longer backlog (and net.core.somaxconn), more acceptors, nothing slow on the thread that accepts.")},
	{ReceiveQueue,
		i18n.New("cause.receive-queue.means", "Bytes lay in the socket's receive queue, and nobody was to read them: whoever does was at something that is no request's. Or it is not known who does."),
		i18n.New("cause.receive-queue.seen", "By requests: unread, while the goroutine that read them later slept or waited for another, or the thread did, and served no other connection; or never read, and by whom isn't known."),
		i18n.New("cause.receive-queue.do", "Read again at once after a response; look for pauses, limits of rates and work of its own in whoever reads.")},
	{SendQueue,
		i18n.New("cause.send-queue.means", "The response lay in the socket's send queue: the client read slowly, or congestion control held it back."),
		i18n.New("cause.send-queue.seen", "By requests: bytes not sent or not acknowledged while the queue was not empty; closed windows of the client are counted."),
		i18n.New("cause.send-queue.do", "Look at the client and the path; larger socket buffers for long paths; smaller responses.")},
	{Retransmit,
		i18n.New("cause.retransmit.means", "Segments were lost and sent again, some after a timeout of 200 ms and more."),
		i18n.New("cause.retransmit.seen", "By requests: retransmissions on its connection meanwhile. By seconds: those of the load's connections and of the machine."),
		i18n.New("cause.retransmit.do", "Find the loss: overrun queues of cards and switches, policers, too small a backlog; pacing.")},
	{NetworkDelay,
		i18n.New("cause.network-delay.means", "The packets were on their way for longer, and none is known to have been lost."),
		i18n.New("cause.network-delay.seen", "By requests: from sending to the arrival at the server's socket, or back."),
		i18n.New("cause.network-delay.do", "Look at the path and its queues; CPUs that are too busy for their soft interrupts delay packets on one machine too.")},
	{Generator,
		i18n.New("cause.generator.means", "The load generator itself: its thread was at something else when the request was due, or when its response had come. None of it is the server's."),
		i18n.New("cause.generator.seen", "By requests: between due and sent, and after the response was in the client's socket, while the load's thread ran or slept; what it waited for a CPU is cpu-wait or steal. Where a request waits for a connection that others have, what these wait for is its cause, if it was seen. By seconds: how long loops of the generator were away."),
		i18n.New("cause.generator.do", "CPUs of its own for the generator, more connections, a lower rate, another machine.")},
	{Unexplained,
		i18n.New("cause.unexplained.means", "What no cause accounts for."),
		i18n.New("cause.unexplained.seen", "It is what remains of the excess."),
		i18n.New("cause.unexplained.do", "Run again with more evidence: as root on Linux, with a runtime that tells, for longer.")},
}
