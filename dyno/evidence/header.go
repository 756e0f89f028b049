package evidence

// Header is what is known of a collection apart from its records.
type Header struct {
	Version   int         `json:"version"` // 1
	Port      int         `json:"port"`    // where the server listens
	Started   int64       `json:"started"` // of the measured time, CLOCK_MONOTONIC in ns
	Processes []Process   `json:"processes,omitempty"`
	Learnt    []Threshold `json:"thresholds,omitempty"` // what counted as slow, from when
	Probes    []Probe     `json:"probes,omitempty"`
	Missing   []Missing   `json:"missing,omitempty"`
	Counts    Counts      `json:"counts"`
	Looked    *Looked     `json:"looked,omitempty"`
	Off       []int       `json:"off,omitempty"` // windows in which the probes were off
	Cost      *Cost       `json:"probe_cost,omitempty"`
	// Peers are the names of what the server stands on, by the ports of this machine that it
	// listens on: "postgres".
	Peers     map[uint16]string `json:"peers,omitempty"`
	FaultCost int64             `json:"fault_cost,omitempty"` // what a page fault without disk costs here, ns
	// Clocked says that it was seen when CPUs stood still.
	Clocked bool `json:"clocked,omitempty"`
}

// Process is one whose threads were followed.
type Process struct {
	PID  int32  `json:"pid"`
	Comm string `json:"comm"`
	// Learnt says that it was not known before: it read from the server's port.
	Learnt bool `json:"learnt,omitempty"`
}

// Threshold is the response time above which requests counted as slow since an instant.
type Threshold struct {
	Since int64 `json:"since"` // CLOCK_MONOTONIC, ns
	Slow  int64 `json:"slow"`  // ns
}

// Probe is a program in the kernel.
type Probe struct {
	Name     string `json:"name"` // of the tracepoint
	Attached bool   `json:"attached"`
	Why      string `json:"why,omitempty"`  // if it is not
	Runs     uint64 `json:"runs,omitempty"` // while the kernel counted them
	Took     int64  `json:"took,omitempty"` // in these, ns, by the kernel's own count
}

// Missing is something that can't be known here.
type Missing struct {
	What string `json:"what"` // a stage, "kernel" if none of them, or an engine
	Why  string `json:"why"`
}

// Counts say how much of the load there is evidence of.
type Counts struct {
	Requests    uint64 `json:"requests"`     // completed while the generator sampled
	Tail        uint64 `json:"tail"`         // of these, slow
	Kept        uint64 `json:"kept"`         // records
	Dropped     uint64 `json:"dropped"`      // samples given up: too many at once, or too many altogether
	NotTraced   uint64 `json:"not_traced"`   // samples on connections that are not traced
	Events      uint64 `json:"events"`       // written by the probes
	Overwritten uint64 `json:"overwritten"`  // records that events were overwritten of
	Every       int    `json:"traced_1_in"`  // one of how many connections is traced
	Incomplete  uint64 `json:"incomplete"`   // records with a gap
	Unattended  uint64 `json:"out_of_reach"` // samples that were due, or ended, while the probes were off
	Cut         uint64 `json:"cut_off"`      // of these, such as were to be looked at and hadn't ended when the probes were turned off
}

// Looked says for how long requests had to be due to be looked at. Where many are served in a
// second that is a part of the time, in windows at random places.
type Looked struct {
	In      int64 `json:"in"`      // ns
	Of      int64 `json:"of"`      // ns, without windows in which the probes were off to see what they cost
	Slow    int64 `json:"slow"`    // requests that were slow in the measured time, looked at or not; those that records stand for may be fewer
	Windows int   `json:"windows"` // into how many stretches it falls
}

// Share of the time; 1 if nothing is known of it.
func (l *Looked) Share() float64 {
	if l == nil || l.Of <= 0 {
		return 1
	}
	return float64(l.In) / float64(l.Of)
}

// Cost is what the probes cost, by windows with them against windows without.
type Cost struct {
	On  int `json:"on"`  // windows
	Off int `json:"off"` // windows
	// CPU is the server's CPU time a request, P99 the response time, as ratios of on to
	// off less one; with the 95 % interval. Absent if not known.
	CPU *Change `json:"cpu,omitempty"`
	P99 *Change `json:"p99,omitempty"`
}

// Change is a relative change and its 95 % interval.
type Change struct {
	Ratio float64 `json:"ratio"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
