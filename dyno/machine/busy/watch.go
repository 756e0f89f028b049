package busy

import (
	"context"
	"os"
	"slices"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// Watch measures load after load what other programs did to the CPUs in use. Its
// methods belong to one goroutine at a time.
//
// A server that listens on this machine, with all processes under it, is not among
// the others; what works for it from elsewhere is, and so such programs make a
// measurement invalid only as far as they were as busy before the load.
type Watch struct {
	cpus    []int // that the generator, and a server here, may use
	server  []int // its processes; empty if it is on another machine
	unknown i18n.Message

	machine   *probe.MachineProbe
	processes []*probe.ProcessProbe
	last      reading
	idle      map[int]float64 // share of a CPU that programs used before the load, by process; nil if it wasn't measured
}

// reading is what was read at one instant.
type reading struct {
	time    int64 // CLOCK_MONOTONIC, ns
	machine probe.MachineTotals
	server  []probe.ProcessTotals
	whole   bool // none of the server's processes is missing
}

// NewWatch makes a watch of a load on a URL from the given CPUs: all that this
// process may use, if none are given. A server on this machine may use all of
// those.
func NewWatch(ctx context.Context, target string, cpus, online []int) *Watch {
	w := &Watch{cpus: cpus, machine: probe.NewMachine(0)}
	var err error
	if w.server, err = Server(ctx, target); err != nil {
		w.unknown = i18n.From(err)
	}
	if len(w.cpus) == 0 || len(w.server) > 0 || err != nil {
		w.cpus = online
	}
	w.server = slices.DeleteFunc(w.server, func(pid int) bool { return pid == os.Getpid() })
	w.machine.WatchPrograms(nil, w.server...)
	for _, pid := range w.server {
		w.processes = append(w.processes, probe.NewProcess(pid))
	}
	return w
}

// CPUs are those that are watched: in use by the generator, or by a server here.
func (w *Watch) CPUs() []int { return w.cpus }

// Idle surveys for a time, LookTime if it is 0, which programs are busy while there is
// no load. It may be called before each load, and replaces the last survey. The survey
// is nil where nothing can be seen.
func (w *Watch) Idle(ctx context.Context, d time.Duration) *Survey {
	if d == 0 {
		d = LookTime
	}
	before, ok := w.read()
	if !ok {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	after, ok := w.read()
	if !ok {
		return nil
	}
	m, length := after.machine.Since(before.machine), time.Duration(after.time-before.time)
	w.idle = make(map[int]float64)
	if m.Programs != nil {
		for _, p := range m.Programs.Top {
			w.idle[p.PID] = share(p.CPU, length)
		}
	}
	s := surveyOf(m, length, w.cpus)
	if len(w.server) > 0 && before.whole && after.whole {
		s.Server = &measure.Idle{Length: length}
		for i := range after.server {
			s.Server.CPU += after.server[i].Since(before.server[i]).CPU
		}
	}
	return s
}

// Since returns what others did since the last call; nil the first time, and where it
// isn't known.
func (w *Watch) Since() *measure.Others {
	before := w.last
	now, ok := w.read()
	w.last = now
	if !ok || before.time == 0 {
		return nil
	}
	return w.between(&before, &now)
}

// between is what others did between two readings.
func (w *Watch) between(a, b *reading) *measure.Others {
	m, length := b.machine.Since(a.machine), time.Duration(b.time-a.time)
	if m.Self == nil || m.TasksByCPU == nil {
		return nil
	}
	own, waited, known := m.Self.CPU, m.Self.RunQueue, a.whole && b.whole
	for i := range b.server {
		if i < len(a.server) {
			p := b.server[i].Since(a.server[i])
			own, waited = own+p.CPU, waited+p.RunQueue
		}
	}
	use := measure.Use{Name: "both", CPUs: w.cpus, Own: own}
	if len(w.server) == 0 && w.unknown.IsZero() {
		use.Name = "the generator"
	}
	o := measure.NewOthers(&m, length, use)
	o.Waited, o.Foreign, o.Unknown, o.Blind = waited, use.Name == "both", w.unknown, w.idle == nil
	if o.Foreign {
		o.ListenDrops = m.ListenDrops
	}
	if o.Unknown.IsZero() {
		o.Unknown = hidden()
	}
	if m.Programs != nil {
		o.Before = w.before(m.Programs.Top, length)
	}
	if !w.unknown.IsZero() || !known {
		// The server is among the others: only those that were there before it had
		// anything to do are none of it.
		for i := range o.Parts {
			o.Parts[i].Used = min(o.Parts[i].Used, o.Before)
		}
	}
	return o
}

// before is how much of what programs used they were using before the load.
func (w *Watch) before(programs []probe.Program, length time.Duration) (d time.Duration) {
	for i := range programs {
		d += min(programs[i].CPU, time.Duration(w.idle[programs[i].PID]*float64(length)))
	}
	return d
}

// read reads everything.
func (w *Watch) read() (r reading, ok bool) {
	var err error
	if r.machine, err = w.machine.Snapshot(); err != nil {
		return reading{}, false
	}
	r.time, r.whole = clock.Now(), true
	for _, p := range w.processes {
		t, err := p.Snapshot()
		r.server = append(r.server, t)
		r.whole = r.whole && err == nil
	}
	return r, true
}

// Close releases the files that are kept open.
func (w *Watch) Close() {
	w.machine.Close()
	for _, p := range w.processes {
		p.Close()
	}
}
