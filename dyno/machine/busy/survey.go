package busy

import (
	"context"
	"slices"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// Survey is which programs were busy on a machine while nothing was measured.
type Survey struct {
	Length   time.Duration   `json:"length"` // ns
	CPUs     []CPU           `json:"cpus"`
	Programs []probe.Program `json:"programs"`         // that used most
	Server   *measure.Idle   `json:"server,omitempty"` // what the server used though nothing was asked of it; nil if it isn't here, or can't be seen
	Unknown  i18n.Message    `json:"unknown,omitzero"` // why not all can be named
}

// CPU is what was used of one CPU, as shares of its time.
type CPU struct {
	Number int     `json:"cpu"`
	Busy   float64 `json:"busy"`  // by programs and the kernel
	Steal  float64 `json:"steal"` // by the hypervisor
}

// How long a look takes, and from what share on a CPU is called busy: that of the
// finding "other-load".
const (
	LookTime   = 300 * time.Millisecond
	busyShare  = 0.15
	stealShare = 0.05
)

// Look watches the given CPUs for a time while the caller does nothing, LookTime
// if it is 0. Where they can't be watched the error is [errors.ErrUnsupported].
func Look(ctx context.Context, cpus []int, d time.Duration) (*Survey, error) {
	if d == 0 {
		d = LookTime
	}
	m := probe.NewMachine(0)
	defer m.Close()
	m.WatchPrograms(nil)
	before, err := m.Snapshot()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(d):
	}
	after, err := m.Snapshot()
	if err != nil {
		return nil, err
	}
	return surveyOf(after.Since(before), time.Since(began), cpus), nil
}

// surveyOf reads what a machine did in a time.
func surveyOf(m probe.Machine, length time.Duration, cpus []int) *Survey {
	s := &Survey{Length: length, Programs: []probe.Program{}}
	for _, cpu := range cpus {
		if cpu < len(m.TasksByCPU) {
			s.CPUs = append(s.CPUs, CPU{cpu, share(m.TasksByCPU[cpu]+m.IRQByCPU[cpu], length), share(m.StealByCPU[cpu], length)})
		}
	}
	if m.Programs != nil {
		s.Programs = append(s.Programs, m.Programs.Top...)
	}
	s.Unknown = hidden()
	return s
}

// hidden says why programs may be there that can't be seen; "" if they all can.
func hidden() i18n.Message {
	p := probe.NewPrograms()
	defer p.Close()
	if err := p.Missing(); err != nil {
		return i18n.From(err)
	}
	return i18n.Message{}
}

func share(d, of time.Duration) float64 { return min(1, float64(d)/float64(max(of, 1))) }

// Disturbers are the programs that were seen on the CPUs looked at and used more
// than is good for a measurement.
func (s *Survey) Disturbers() (names []i18n.Message) {
	for i := range s.Programs {
		p := &s.Programs[i]
		on := len(p.On) == 0 || slices.ContainsFunc(s.CPUs, func(c CPU) bool { return slices.Contains(p.On, c.Number) })
		if on && share(p.CPU, s.Length) >= busyShare/2 {
			names = append(names, measure.Describe(p, s.Length))
		}
	}
	return names
}

// Busy reports whether others use so much of the CPUs that what is measured there would
// be invalid or suspect. What the server itself uses is no fault of the machine: as it
// isn't known on which CPU that was, it is subtracted from the busiest ones.
func (s *Survey) Busy() bool {
	left := s.Server.Share()
	others := 0.0
	for _, c := range s.CPUs {
		if c.Steal >= stealShare {
			return true
		}
		if c.Busy >= busyShare {
			others += c.Busy
		}
	}
	return others > 0 && others-left >= busyShare
}

// Message says which CPUs are busy, and who is busy there; "" if none is.
func (s *Survey) Message() i18n.Message {
	var cpus []i18n.Message
	for _, c := range s.CPUs {
		if c.Busy >= busyShare {
			cpus = append(cpus, i18n.New("busy.cpu", "CPU %d by %.0f %%", c.Number, 100*c.Busy))
		}
		if c.Steal >= stealShare {
			cpus = append(cpus, i18n.New("busy.stolen-by-hypervisor", "CPU %d is lacking %.0f %% that the hypervisor takes", c.Number, 100*c.Steal))
		}
	}
	if !s.Busy() {
		return i18n.Message{}
	}
	const shown = 4
	if n := len(cpus) - shown; n > 1 {
		cpus = append(cpus[:shown], i18n.New("busy.more", "%d more", n))
	}
	text := i18n.New("busy.machine-busy", "this machine is busy: %s", i18n.Enumerate(cpus...))
	who := s.Disturbers()
	if share := s.Server.Share(); share >= busyShare {
		who = append(who, i18n.New("busy.server-when-idle", "the server itself, without a load, %.0f %%", 100*share))
	}
	switch {
	case who != nil:
		text = i18n.List("; ", text, i18n.Enumerate(who...))
	case !s.Unknown.IsZero():
		text = i18n.Join(text, i18n.New("busy.by-unknown", "; by whom can't be told: %s", s.Unknown))
	default:
		text = i18n.Join(text, i18n.New("busy.by-short-lived", "; by programs that come and go, or by the kernel"))
	}
	return text
}
