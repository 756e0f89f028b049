// Package probe reads what the server's side of a trial was doing: the subject's
// processes, the machine, and, where it reports figures, the runtime.
//
// Probes take cumulative [Snapshot]s; the difference of two is a [Window]. What a
// machine doesn't report is absent: a nil pointer, or a name in Missing.
package probe

import (
	"slices"
	"strings"
	"time"
)

// Window is what the server's side did between two snapshots.
type Window struct {
	Start    int64         `json:"start"`  // CLOCK_MONOTONIC, ns
	Length   time.Duration `json:"length"` // ns
	Process  *Process      `json:"process,omitempty"`
	Upstream *Process      `json:"upstream,omitempty"` // what a gateway sends requests on to, if dyno started it
	// Services are what the subject stands on, such as a database, if the study has any.
	Services []ServiceWindow `json:"services,omitempty"`
	Sockets  *Sockets        `json:"sockets,omitempty"` // nil if they weren't looked at
	Machine  *Machine        `json:"machine,omitempty"`
	Runtime  *Runtime        `json:"runtime,omitempty"` // subjects with a helper, a log of collections or a metrics endpoint
	Missing  []string        `json:"missing,omitempty"` // figures that could not be read and are zero: "name: why"
}

// Lacks reports whether any of the figures named is in Missing: its zero means
// nothing. Names are those of the JSON, but "cpu_split" (CPUUser and CPUSys),
// "switches", "faults" and "sched" (of both or all kinds), and "process" (all of
// Process, for a part of the tree).
func (w *Window) Lacks(figures ...string) bool {
	return slices.ContainsFunc(w.Missing, func(entry string) bool {
		name, _, _ := strings.Cut(entry, ":")
		return slices.Contains(figures, name)
	})
}

// Process is the subject's whole process tree over one window.
type Process struct {
	// Reported says that these figures are of one process, by its own metrics endpoint,
	// which has fewer; CPU is then exact to 10 ms only.
	Reported bool          `json:"reported,omitempty"`
	CPU      time.Duration `json:"cpu"`      // user + system, exact, ns
	CPUUser  time.Duration `json:"cpu_user"` // share of CPU by the kernel's tick accounting, ns
	CPUSys   time.Duration `json:"cpu_sys"`  // ns
	RSS      uint64        `json:"rss"`      // bytes at the window's end
	// PSS is RSS where each page counts for the share of one of the processes that have
	// it mapped, in bytes at the window's end; 0 in most windows, as it is read rarely,
	// and if Missing says so.
	PSS       uint64 `json:"pss,omitempty"`
	Processes int    `json:"processes"`
	// Ended are the processes that were there when the load began and ended in this
	// window, as "name (process 7)"; Begun is how many were first seen in it.
	Ended         []string      `json:"ended,omitempty"`
	Begun         int           `json:"begun,omitempty"`
	Threads       int           `json:"threads"`
	OpenFiles     int           `json:"open_files"`
	SwitchesVol   uint64        `json:"switches_voluntary"`
	SwitchesInvol uint64        `json:"switches_involuntary"`
	FaultsMinor   uint64        `json:"faults_minor"`
	FaultsMajor   uint64        `json:"faults_major"`
	RunQueue      time.Duration `json:"run_queue"` // time runnable but not running, all threads, ns
	Throttled     time.Duration `json:"throttled"` // by a cgroup CPU quota, ns
}

// Machine is the whole machine over one window.
type Machine struct {
	CPUs          int           `json:"cpus"`
	Busy          time.Duration `json:"busy"`  // all CPUs, user + nice + system + irq, ns
	Steal         time.Duration `json:"steal"` // taken by the hypervisor, all CPUs, ns
	Load1         float64       `json:"load1"` // one-minute load average at the window's end
	PressureCPU   time.Duration `json:"pressure_cpu"`
	PressureMem   time.Duration `json:"pressure_memory"`
	PressureIO    time.Duration `json:"pressure_io"`
	Retransmits   uint64        `json:"tcp_retransmits"`
	ListenDrops   uint64        `json:"listen_drops"`
	ListenOverrun uint64        `json:"listen_overflows"`
	SwapOut       uint64        `json:"swap_out_pages"`
	// What each CPU did, by its number, ns: running programs (user + nice + system)
	// and serving interrupts. Those that are offline did nothing.
	TasksByCPU []time.Duration `json:"tasks_by_cpu,omitempty"`
	IRQByCPU   []time.Duration `json:"irq_by_cpu,omitempty"`
	StealByCPU []time.Duration `json:"steal_by_cpu,omitempty"`
	// Self is the process that reads all this, with those that work for it; nil if it is not
	// enabled.
	Self *Self `json:"self,omitempty"`
	// Programs are those other than the subject and this process; nil if they can't be
	// seen.
	Programs  *Programs `json:"programs,omitempty"`
	Frequency float64   `json:"frequency_mhz,omitempty"` // mean clock rate of the subject's CPUs at the window's end; 0 where the machine doesn't report it
}

// Self is what this process used.
type Self struct {
	CPU      time.Duration `json:"cpu"`       // with that of the processes that work for it, ns
	RunQueue time.Duration `json:"run_queue"` // time its threads were runnable but not running, ns
}

// Runtime is the runtime of a subject over one window: Go's, from runtime/metrics, or that
// of another language, which knows fewer figures; some of them, where Missing says so, by
// the subject's metrics endpoint.
type Runtime struct {
	// Length is the time between the readings that these are the differences of, where
	// the runtime reported when it read: a saturated program responds late, and what is
	// counted here is then that of a stretch shifted against the window, and a little
	// longer or shorter. 0 if it is not known; ns.
	Length      time.Duration `json:"length,omitempty"`
	GCCycles    uint64        `json:"gc_cycles"`
	GCPause     time.Duration `json:"gc_pause"`      // total stop-the-world time for GC, ns
	GCPauseMax  time.Duration `json:"gc_pause_max"`  // the longest pause, of Go the upper bound of its bucket, ns
	GCCPU       time.Duration `json:"gc_cpu"`        // estimated CPU time spent in GC, ns
	Heap        uint64        `json:"heap"`          // bytes of live and dead objects at the window's end; of a JVM or V8 by its log after the last collection
	AllocBytes  uint64        `json:"alloc_bytes"`   // allocated in the window
	AllocCount  uint64        `json:"alloc_objects"` // allocated in the window
	Goroutines  uint64        `json:"goroutines"`    // or what else the language has as light threads, such as Erlang's processes
	LockWait    time.Duration `json:"lock_wait"`     // of all goroutines together for mutexes, by the runtime's estimate, ns
	SchedP50    time.Duration `json:"sched_p50"`     // time goroutines were runnable before running, ns
	SchedP99    time.Duration `json:"sched_p99"`
	SchedMax    time.Duration `json:"sched_max"`
	HelperCPUus float64       `json:"helper_us"` // CPU time of the helper itself for the response, µs
}
