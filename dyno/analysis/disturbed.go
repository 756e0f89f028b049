package analysis

import (
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// disturbed are the measured disturbances of one trial: for how long in all a process was
// kept from work, and by what. Times are of all measured windows, including those left out,
// because a backlog outlasts its cause.
type disturbed struct {
	open        bool
	connections int // or streams on them, together
	streams     int // of a connection
	sliced      bool
	untold      bool // of such a load, or such a trial, no response time can be bounded

	length    time.Duration // of the windows that figures rest on
	responses uint64        // in them
	process   process

	away, longest time.Duration // of the generator's loops: in all, and the longest stall
	gc, steal     time.Duration
	apart         bool          // CPU times have nothing of steal
	others        time.Duration // CPU time of other programs
	blind         bool          // of some window, others' is not known
	offered, late uint64
	resent        uint64 // segments

	busy, looked time.Duration // of each window's busiest CPU, and of how much time

	clocks [measure.NumClocks]*steps
}

// watch begins with a trial; nil if there are no claims that its disturbances could bear on.
func watch(run *archive.Run, t *archive.Trial) *disturbed {
	if len(run.Manifest.Claims) == 0 {
		return nil
	}
	c := &run.Manifest.Plan.Cells[t.Cell]
	p := &c.Profile
	streams := max(c.Link.Streams, 1)
	return &disturbed{open: p.Mode == profile.Open, connections: p.Connections * streams, streams: streams,
		sliced: t.Sliced != nil, apart: run.Manifest.Machine.StealApart, untold: p.Think.Mean > 0 || len(p.Phases) > 0 || c.Link.WebSocket != nil}
}

// disturbing reports whether anything that has a bound lowers what a trial is worth.
func disturbing(t *archive.Trial) bool {
	for i := range t.Findings {
		if f := &t.Findings[i]; f.Weight() != finding.Valid && bounded(f.Name) {
			return true
		}
	}
	return false
}

// bounded reports whether what such a finding can have changed has a bound.
func bounded(name finding.Name) bool {
	switch name {
	case finding.GeneratorStalled, finding.GeneratorGC, finding.GeneratorLate, finding.LagFloor, finding.ArrivalsOff, finding.Retransmits, finding.Steal, finding.OtherLoad:
		return true
	}
	return false
}

// add takes the next window of the trial; on nil, which nobody asks about, it does nothing.
func (d *disturbed) add(w *archive.Window, generator []int) {
	c := &w.Client
	if d == nil || c.Warmup() {
		return
	}
	d.away += c.Away
	d.longest = max(d.longest, c.Stall)
	d.offered += c.Offered
	d.late += c.Late
	d.resent += c.Resent
	if h := c.Health; h != nil {
		d.gc += h.GCPause
		d.steal += h.Steal
	}
	d.addOthers(w)
	d.addBusy(w, generator)
	if w.Counts() {
		d.length += c.Length
		d.responses += c.Completed
	}
}

// addOthers adds what is left of the machine's busy time without those that belong to the
// measurement: at most that much other programs used of the CPUs in use.
func (d *disturbed) addOthers(w *archive.Window) {
	m, p := w.Server.Machine, w.Server.Process
	if m == nil || m.Self == nil || p == nil || p.Reported || w.Server.Lacks("cpu", "process") {
		d.blind = true
		return
	}
	left := m.Busy - m.Self.CPU - p.CPU
	if up := w.Server.Upstream; up != nil {
		left -= up.CPU
	}
	for i := range w.Server.Services {
		if s := w.Server.Services[i].Process; s != nil {
			left -= s.CPU
		}
	}
	for i := range w.Why {
		if w.Why[i].Name == finding.OtherLoad {
			left = max(left, time.Duration(measure.OthersSuspect*float64(w.Server.Length)))
		}
	}
	d.others += max(left, 0)
}

// addBusy adds how busy the window's busiest CPU was, without the time that the generator
// spent polling.
func (d *disturbed) addBusy(w *archive.Window, generator []int) {
	m := w.Server.Machine
	if m == nil && d.sliced {
		d.addBusyInSlices(w)
		return
	}
	if m == nil || len(m.TasksByCPU) == 0 {
		d.untold = true
		return
	}
	polled := w.Client.Spun / time.Duration(max(len(generator), 1))
	busiest := time.Duration(0)
	for cpu, busy := range m.TasksByCPU {
		if cpu < len(m.IRQByCPU) {
			busy += m.IRQByCPU[cpu]
		}
		for _, its := range generator {
			if its == cpu {
				busy -= polled
			}
		}
		busiest = max(busiest, busy)
	}
	d.busy += busiest
	d.looked += w.Server.Length
}

// addBusyInSlices adds how busy the busiest CPU was at most, of which only what works for the
// requests is known in slices: the subject with what it stands on, as if all were on one CPU, or the
// generator.
func (d *disturbed) addBusyInSlices(w *archive.Window) {
	p := w.Server.Process
	if p == nil || p.Reported || w.Server.Lacks("cpu", "process") {
		d.untold = true
		return
	}
	busy := p.CPU
	if up := w.Server.Upstream; up != nil {
		busy += up.CPU
	}
	for i := range w.Server.Services {
		if s := w.Server.Services[i].Process; s != nil {
			busy += s.CPU
		}
	}
	d.busy += max(busy, w.Client.Worked())
	d.looked += w.Server.Length
}

// settle takes what the trial's sums are; of times only if bounds of these are asked for, as
// that takes a while.
func (d *disturbed) settle(s *sums, times bool) *disturbed {
	if d == nil {
		return nil
	}
	d.process = s.process
	for clock := range measure.NumClocks {
		if h := s.hist[clock]; times && h != nil && h.TotalCount() > 0 {
			d.clocks[clock] = stepsOf(h)
		}
	}
	if r := s.distribution(measure.Response); r.censored > 0 || r.failed > 0 {
		d.untold = true
	}
	return d
}

// busyShare is how busy the busiest CPU was; it is not ok if that wasn't recorded.
func (d *disturbed) busyShare() (share float64, ok bool) {
	if d == nil || d.looked <= 0 || d.untold {
		return 0, false
	}
	return float64(d.busy) / float64(d.looked), true
}
