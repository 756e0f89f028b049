package analysis

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// sums adds up the measured windows of one trial that are not invalid.
type sums struct {
	mode       profile.Mode
	sliced     bool          // windows are made of slices: what drained after them is in their CPU time
	settle     time.Duration // of slices that are cut out of a load: how long that had gone on before; else 0
	users      int           // of a closed loop: connections, or streams on them
	parts      parts         // of its slices
	startUp    time.Duration
	executable int64         // bytes
	size       uint64        // bytes
	idle       *measure.Idle // nil where it wasn't measured
	warmUp     *archive.WarmUp

	windows int // added
	invalid int // measured, but left out

	length           time.Duration
	completed        uint64
	right            uint64 // with the expected response, whenever, of the arrivals that count
	shed, unfinished uint64
	unsent           uint64 // of unfinished
	bytesIn          uint64 // what clients received …
	responses        uint64 // … and how many responses that was
	statuses         map[int]uint64
	codes            map[string]uint64
	unconnected      uint64
	apart            uint64 // of errors: belong to no request
	errors           measure.Errors
	generator        time.Duration
	process          process
	inside           inside        // of the process, if its runtime reports figures
	tail             *tail         // nil if no figure is about it
	traced           *explain.Cell // what was traced in it, if figures are about that
	hist             [measure.NumClocks]*hdrhistogram.Histogram
	waited           [measure.NumClocks]*hdrhistogram.Histogram // of requests given up; nil without any
}

// process sums the windows in which the subject's process was seen.
type process struct {
	windows        int // whose CPU time is known
	completed      uint64
	cpu, user, sys time.Duration
	unsplit        bool          // of some window, user and sys are not known
	rss, pss       uint64        // largest
	threads, files int           // most
	switches       uint64        // of either kind …
	preemptions    uint64        // … and those that were not its own wish
	noSwitches     bool          // of some window, they are not known
	runQueue       time.Duration // of all threads
	noRunQueue     bool          // of some window, it is not known
}

// newSums adds up the clocks given and no others: a histogram takes some 200 kB.
func newSums(mode profile.Mode, clocks ...measure.Clock) *sums {
	s := &sums{mode: mode}
	for _, clock := range clocks {
		s.hist[clock] = measure.NewHistogram()
	}
	return s
}

// add takes the next window of the trial. It reports whether figures rest on it.
func (s *sums) add(w *archive.Window) bool {
	counted := w.Client.Counted(w.Counts())
	s.addRequests(&counted)
	if !w.Counts() {
		if !w.Client.Warmup() {
			s.invalid++
		}
		return false
	}
	c := &w.Client
	s.windows++
	s.length += c.Length
	s.completed += c.Completed
	s.generator += c.Worked()
	s.bytesIn += c.BytesIn // of what came later, and of wrong responses, too
	s.responses += c.Completed + c.Drained + c.Errors.Status + c.Errors.Body + c.Errors.Expect + c.Errors.GRPC
	s.process.add(w)
	if s.sliced && w.Server.Process != nil && !w.Server.Lacks("cpu", "process") {
		s.process.completed += c.Drained // their CPU time is in it
	}
	s.inside.add(w)
	if s.tail != nil {
		s.tail.add(w)
	}
	return true
}

// addRequests adds what became of the arrivals that count.
func (s *sums) addRequests(c *measure.Window) {
	s.right += c.Right()
	s.shed += c.Shed
	s.errors.Add(c.Errors)
	s.statuses = measure.AddStatuses(s.statuses, c.Statuses)
	s.codes = measure.AddCodes(s.codes, c.Codes)
	s.unfinished += c.Unfinished
	s.unsent += c.Unsent
	s.unconnected += c.Unconnected
	s.apart += c.ErredApart
	s.addHistograms(c.Hist, c.Waited)
}

func (s *sums) addHistograms(timed, waited [measure.NumClocks]*hdrhistogram.Histogram) {
	for clock := range measure.NumClocks {
		if s.hist[clock] == nil {
			continue
		}
		addTo(&s.hist[clock], timed[clock])
		addTo(&s.waited[clock], waited[clock])
	}
}

// merge adds another trial of the same cell.
func (s *sums) merge(o *sums) {
	s.shed += o.shed
	s.unfinished += o.unfinished
	s.unsent += o.unsent
	s.unconnected += o.unconnected
	s.right += o.right
	s.apart += o.apart
	s.errors.Add(o.errors)
	s.addHistograms(o.hist, o.waited)
}

func (p *process) add(w *archive.Window) {
	seen := w.Server.Process
	if seen == nil {
		return
	}
	if !w.Server.Lacks("rss", "process") {
		p.rss = max(p.rss, seen.RSS)
	}
	if !w.Server.Lacks("pss", "process") {
		p.pss = max(p.pss, seen.PSS)
	}
	p.hold(seen, &w.Server)
	if w.Server.Lacks("cpu", "process") {
		return
	}
	p.windows++
	p.completed += w.Client.Completed
	p.cpu += seen.CPU
	p.user += seen.CPUUser
	p.sys += seen.CPUSys
	p.unsplit = p.unsplit || w.Server.Lacks("cpu_split")
}

// hold notes what the subject held at the window's end, its switches, and its waits for a CPU.
func (p *process) hold(seen *probe.Process, w *probe.Window) {
	if !w.Lacks("threads", "process") {
		p.threads = max(p.threads, seen.Threads)
	}
	if !w.Lacks("open_files", "process") {
		p.files = max(p.files, seen.OpenFiles)
	}
	p.switches += seen.SwitchesVol + seen.SwitchesInvol
	p.preemptions += seen.SwitchesInvol
	p.noSwitches = p.noSwitches || w.Lacks("switches", "process")
	p.runQueue += seen.RunQueue
	p.noRunQueue = p.noRunQueue || w.Lacks("run_queue", "process")
}

// usable reports whether any figure can rest on the windows.
func (s *sums) usable() bool { return s.windows > 0 && s.length > 0 }

// distribution is that of a clock, with the requests whose time is unknown: shed before
// they were sent, without a response in time, or by the end; and those that failed
// otherwise, as their clients got no response either.
func (s *sums) distribution(clock measure.Clock) *distribution {
	counts := measure.Window{Drained: s.right, Shed: s.shed, Unfinished: s.unfinished, Unsent: s.unsent, Unconnected: s.unconnected, Errors: s.errors, ErredApart: s.apart, Hist: s.hist}
	return &distribution{
		recorded: s.hist[clock], waited: s.waited[clock],
		censored: int64(counts.GivenUp(clock)), failed: int64(counts.Failed(clock)),
	}
}

// unsettled says why slices of a closed loop don't tell its response times. A load that begins from rest
// sends all that its users have at once, so that these wait for less than they will; that takes as
// long as a response does once it goes on, by Little's law users/throughput.
func (s *sums) unsettled() i18n.Message {
	if s.settle <= 0 || s.completed == 0 {
		return i18n.Message{}
	}
	response := time.Duration(float64(s.users) * float64(s.length) / float64(s.completed))
	if response <= s.settle {
		return i18n.Message{}
	}
	return i18n.New("analysis.slice-unsettled", "a response takes %v, by users and throughput, and a slice counts after %v: a load that goes on tells (slices: off)", response.Round(100*time.Microsecond), s.settle)
}

// fromSlices are what a trial's being in slices means for its figures.
func (s *sums) fromSlices(t *archive.Trial, cells []study.Cell) {
	if s.sliced = t.Sliced != nil; s.sliced && t.Sliced.Cut {
		c := &cells[t.Cell]
		s.parts = partsOf(t)
		s.settle, s.users = t.Sliced.Settle, c.Profile.Connections*max(c.Link.Streams, 1)
	}
}

func (s *sums) throughput() (float64, i18n.Message) {
	return float64(s.completed) / s.length.Seconds(), i18n.Message{}
}

func (s *sums) cpu() (float64, i18n.Message)     { return s.process.perRequest(s.process.cpu) }
func (s *sums) cpuUser() (float64, i18n.Message) { return s.process.part(s.process.user) }
func (s *sums) cpuSys() (float64, i18n.Message)  { return s.process.part(s.process.sys) }

// part is perRequest for user or system time.
func (p *process) part(spent time.Duration) (micros float64, missing i18n.Message) {
	if p.unsplit {
		return 0, i18n.New("analysis.user-system-not-split", "user and system time could not be told apart")
	}
	return p.perRequest(spent)
}

// perRequest shares a CPU time of the subject among its requests.
func (p *process) perRequest(spent time.Duration) (micros float64, missing i18n.Message) {
	switch {
	case p.windows == 0 || p.cpu == 0 || p.idles():
		return 0, unseen
	case p.completed == 0:
		return 0, i18n.New("objective.no-request-completed", "no request was completed")
	}
	return micro(spent) / float64(p.completed), i18n.Message{}
}

// unseen is why there are no figures of a process.
var unseen = i18n.New("analysis.process-unseen", "the subject's process could not be seen")

// leastServing is the least CPU time of any server for a request: its system calls take
// longer.
const leastServing = 200 * time.Nanosecond

// idles reports whether the process used next to no CPU while requests were served: it is
// not the server, but such as a launcher that stayed, and its memory and files are not the
// server's.
func (p *process) idles() bool {
	return p.windows > 0 && p.completed > 0 && p.cpu < time.Duration(p.completed)*leastServing
}

func (s *sums) rss() (bytes float64, missing i18n.Message) {
	if s.process.rss == 0 || s.process.idles() {
		return 0, unseen
	}
	return float64(s.process.rss), i18n.Message{}
}

// pss is the proportional set size, which is not read in each window.
func (s *sums) pss() (bytes float64, missing i18n.Message) {
	if s.process.idles() {
		return 0, unseen
	}
	if s.process.pss == 0 {
		return 0, i18n.New("analysis.pss-not-read", "the proportional set size was not read")
	}
	return float64(s.process.pss), i18n.Message{}
}

func (s *sums) threads() (float64, i18n.Message) { return s.process.held(s.process.threads) }
func (s *sums) files() (float64, i18n.Message)   { return s.process.held(s.process.files) }

// held is a count of things of which every process has at least one.
func (p *process) held(n int) (float64, i18n.Message) {
	if n == 0 || p.idles() {
		return 0, unseen
	}
	return float64(n), i18n.Message{}
}

// switches are context switches for each request, of either kind.
func (s *sums) switches() (perRequest float64, missing i18n.Message) {
	return s.process.counted(s.process.switches)
}

// preemptions are the context switches for each request in which the kernel took the CPU from a
// thread that would have gone on.
func (s *sums) preemptions() (perRequest float64, missing i18n.Message) {
	return s.process.counted(s.process.preemptions)
}

// counted shares a count of switches among the requests.
func (p *process) counted(switches uint64) (perRequest float64, missing i18n.Message) {
	switch {
	case p.windows == 0 || p.noSwitches || p.idles():
		return 0, i18n.New("analysis.context-switches-unseen", "the subject's context switches could not be seen")
	case p.completed == 0:
		return 0, i18n.New("objective.no-request-completed", "no request was completed")
	}
	return float64(switches) / float64(p.completed), i18n.Message{}
}

// received is what came over the wire for each response, its head included.
func (s *sums) received() (bytesPerRequest float64, missing i18n.Message) {
	if s.responses == 0 {
		return 0, i18n.New("objective.no-request-completed", "no request was completed")
	}
	return float64(s.bytesIn) / float64(s.responses), i18n.Message{}
}

// runQueue is how long threads of the subject were runnable and had no CPU, for each request.
func (s *sums) runQueue() (micros float64, missing i18n.Message) {
	switch p := &s.process; {
	case p.windows == 0 || p.noRunQueue || p.idles():
		return 0, i18n.New("analysis.run-queue-unseen", "how long the subject's threads waited for a CPU could not be seen")
	case p.completed == 0:
		return 0, i18n.New("objective.no-request-completed", "no request was completed")
	default:
		return micro(p.runQueue) / float64(p.completed), i18n.Message{}
	}
}

// start is how long the subject took from its execution to its first correct response.
func (s *sums) start() (micros float64, missing i18n.Message) {
	if s.startUp == 0 {
		return 0, i18n.New("analysis.not-started-by-dyno", "the subject was not started by dyno")
	}
	return micro(s.startUp), i18n.Message{}
}

func (s *sums) executableSize() (bytes float64, missing i18n.Message) {
	if s.executable == 0 {
		return 0, i18n.New("analysis.program-unseen", "the subject's program could not be seen")
	}
	return float64(s.executable), i18n.Message{}
}

// builtSize is what the subject's build takes on disk.
func (s *sums) builtSize() (bytes float64, missing i18n.Message) {
	if s.size == 0 {
		return 0, i18n.New("analysis.not-built-by-dyno", "nothing of the subject was built by dyno")
	}
	return float64(s.size), i18n.Message{}
}

// idleCPU is what the subject used before the load, in percent of a CPU.
func (s *sums) idleCPU() (percent float64, missing i18n.Message) {
	if s.idle == nil {
		return 0, i18n.New("analysis.idle-not-observed", "nobody looked at the subject before the load")
	}
	return 100 * s.idle.Share(), i18n.Message{}
}

// warmUpTime is how long the subject took under load until it was steady.
func (s *sums) warmUpTime() (micros float64, missing i18n.Message) {
	switch w := s.warmUp; {
	case w == nil:
		return 0, i18n.New("analysis.fixed-warmup", "the warm-up had a fixed length")
	case !w.Steady:
		return 0, i18n.New("analysis.not-steady-after-warmup", "the subject was not steady at the end of the warm-up")
	default:
		return micro(w.Took), i18n.Message{}
	}
}

// warmUpAtLeast is how long a subject took at least that was not steady at the end.
func (s *sums) warmUpAtLeast() (micros float64, ok bool) {
	if s.warmUp == nil {
		return 0, false
	}
	return micro(s.warmUp.Took), true
}

// errorShare is the share of requests that failed, in percent. Those that had no response
// when the load had been over for long count among them: that is the worst they can be.
func (s *sums) errorShare() (percent float64, missing i18n.Message) {
	failed := s.errors.Total() + s.unfinished
	all := s.right + failed
	if all == 0 {
		return 0, i18n.New("analysis.no-responses", "no request had a response")
	}
	return 100 * float64(failed) / float64(all), i18n.Message{}
}

// errorsAtLeast is the share of requests that are known to have failed, in percent.
func (s *sums) errorsAtLeast() (percent float64, ok bool) {
	failed := s.errors.Total()
	all := s.right + failed + s.unfinished
	return 100 * float64(failed) / float64(max(all, 1)), all > 0
}

func (s *sums) generatorCPU() (micros float64, missing i18n.Message) {
	if s.completed == 0 {
		return 0, i18n.New("objective.no-request-completed", "no request was completed")
	}
	return micro(s.generator) / float64(s.completed), i18n.Message{}
}

// micro is a duration in µs.
func micro(d time.Duration) float64 { return float64(d) / 1e3 }
