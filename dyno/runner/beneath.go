package runner

import (
	"math"
	"time"

	"dyno.example/dyno/probe"
)

// beneath reads what is used by the services that the arms of a block stand on, one after the
// other. Its readings lie before and after the part of a slice that counts, never in it. Each takes some 40 µs of
// CPU a process, 2.5 ms of the 60 of a PostgreSQL with 50 connections (BenchmarkBeneath).
type beneath struct{ services []serviceMeter }

// serviceMeter reads the processes of one part of a service.
type serviceMeter struct {
	name  string
	probe *probe.ProcessProbe
	last  probe.ProcessTotals
	seen  bool          // last was read
	used  probe.Process // between the last two readings …
	known bool          // … if both could be made
}

// newBeneath reads those services that run here.
func newBeneath(services []probe.Service) *beneath {
	b := &beneath{}
	for i := range services {
		if s := &services[i]; s.PID != 0 {
			b.services = append(b.services, serviceMeter{name: s.Name, probe: probe.NewProcess(s.PID)})
		}
	}
	return b
}

// lap reads them. The nil beneath has none.
func (b *beneath) lap() {
	if b == nil {
		return
	}
	for i := range b.services {
		s := &b.services[i]
		now, err := s.probe.Snapshot()
		if s.known = err == nil && s.seen; s.known {
			s.used = now.Since(s.last)
		}
		s.last, s.seen = now, err == nil
	}
}

func (b *beneath) close() {
	if b == nil {
		return
	}
	for i := range b.services {
		b.services[i].probe.Close()
	}
}

// stood is what the services used during the slices of one arm since its last window.
type stood struct {
	used []probe.Process
	rest []remainder
	lost []bool // in a slice it could not be read
}

// note adds a part of what they used between the last two laps.
func (s *stood) note(b *beneath, part float64) {
	if b == nil {
		return
	}
	if s.used == nil {
		s.used, s.rest, s.lost = make([]probe.Process, len(b.services)), make([]remainder, len(b.services)), make([]bool, len(b.services))
	}
	for i := range b.services {
		m := &b.services[i]
		if !m.known {
			s.lost[i] = true
			continue
		}
		used := m.used
		s.rest[i].scale(&used, part)
		addUsed(&s.used[i], &used)
	}
}

// window is what was noted since the last one. It has neither what services hold, which they
// hold for all arms at once, nor what they report of themselves, which may come later than the
// slice it belongs to.
func (s *stood) window(b *beneath) (list []probe.ServiceWindow) {
	for i := range s.used {
		one := probe.ServiceWindow{Name: b.services[i].name, Shared: true}
		if !s.lost[i] {
			used := s.used[i]
			one.Process = &used
		}
		list = append(list, one)
		s.used[i], s.lost[i] = probe.Process{}, false
	}
	return list
}

// remainder is what was left of counts when parts of them were taken. Counts are whole, and of
// one preemption in a slice four fifths would be one in each of them: the next slice has the rest.
type remainder [4]float64

// scale leaves a part of what was used up. What is held, and what came and went, stays.
func (r *remainder) scale(p *probe.Process, part float64) {
	for i, n := range []*uint64{&p.SwitchesVol, &p.SwitchesInvol, &p.FaultsMinor, &p.FaultsMajor} {
		whole, rest := math.Modf(part*float64(*n) + r[i])
		*n, r[i] = uint64(whole), rest
	}
	for _, d := range []*time.Duration{&p.CPU, &p.CPUUser, &p.RunQueue, &p.Throttled} {
		*d = time.Duration(part * float64(*d))
	}
	p.CPUSys = p.CPU - p.CPUUser
}

// addUsed adds up what is used up.
func addUsed(sum, p *probe.Process) {
	sum.CPU += p.CPU
	sum.CPUUser += p.CPUUser
	sum.CPUSys += p.CPUSys
	sum.SwitchesVol += p.SwitchesVol
	sum.SwitchesInvol += p.SwitchesInvol
	sum.FaultsMinor += p.FaultsMinor
	sum.FaultsMajor += p.FaultsMajor
	sum.RunQueue += p.RunQueue
	sum.Throttled += p.Throttled
}
