package measure

import "time"

// Health is what befell the generator's process and machine in a window. What a system
// doesn't report stays zero.
type Health struct {
	LagP99   time.Duration `json:"lag_p99,omitempty"`   // ns, as in the window's histogram
	Steal    time.Duration `json:"steal,omitempty"`     // CPU time the hypervisor took from the machine, all CPUs, ns
	GCCycles uint64        `json:"gc_cycles,omitempty"` // garbage collections of this process
	GCPause  time.Duration `json:"gc_pause,omitempty"`  // its pauses for them, rounded up by up to a quarter, ns
	// ClockStep is by how much the wall clock was set, ns. What is measured here
	// rests on the monotonic clock and does not move with it.
	ClockStep time.Duration `json:"clock_step,omitempty"`
	// Suspended is how long the machine was suspended, ns: time that passed
	// without the monotonic clock.
	Suspended time.Duration `json:"suspended,omitempty"`
	// Others is what other programs did; nil if [load.Spec.Others] doesn't know.
	Others *Others `json:"others,omitempty"`
}
