package analysistest

import (
	"math"
	"math/rand/v2"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// maker makes up one trial.
type maker struct {
	planned  study.PlannedTrial
	subjects int
	profile  profile.Profile
	rand     *rand.Rand
	cost     float64 // CPU of the subject per request in this trial, µs
}

// newMaker settles the trial's plateau: the subject's cost, moved by what all
// trials of a block share and by what is the trial's own.
func newMaker(planned study.PlannedTrial, subjects int, profile profile.Profile) *maker {
	shared := rand.New(rand.NewPCG(planned.Seed, 1))
	own := rand.New(rand.NewPCG(planned.Seed, uint64(planned.Cell)+2))
	base := 12 * math.Pow(1.18, math.Max(0, float64(planned.Cell-1)))
	cost := base * math.Exp(0.03*shared.NormFloat64()+0.01*own.NormFloat64())
	return &maker{planned: planned, subjects: subjects, profile: profile, rand: own, cost: cost}
}

func (m *maker) trial() archive.Trial {
	started := began.Add(time.Duration(m.planned.Index) * (Seconds + 2) * time.Second)
	t := archive.Trial{
		PlannedTrial: m.planned, Status: archive.Complete, Started: started,
		Mono: started.Sub(began).Nanoseconds() + int64(time.Hour), Engine: "epoll",
		StartUp: time.Duration(4+m.rand.Float64()*3) * time.Millisecond, Executable: 9 << 20,
		Idle: &measure.Idle{Length: 50 * time.Millisecond, CPU: 200 * time.Microsecond}, Validity: finding.Valid,
	}
	for i := -1; i < Seconds; i++ {
		t.Windows = append(t.Windows, m.window(i, t.Mono))
	}
	m.accidents(&t)
	return t
}

// accidents does to the trial what [Run] promises.
func (m *maker) accidents(t *archive.Trial) {
	switch [2]int{m.planned.Cell, m.planned.Block} {
	case [2]int{3, 1}:
		f := finding.Finding{Name: finding.GeneratorStalled, Validity: finding.Invalid,
			Detail: i18n.Verbatim("a loop was away for 412 ms, more than the 10 ms allowed"), Windows: []int{1}}
		w := &t.Windows[2]
		w.Client.Stall, w.Level, w.Why = 412*time.Millisecond, finding.Invalid, []finding.Finding{f}
		f.Validity = finding.Suspect // a third of the trial
		t.Validity, t.Findings = finding.Suspect, []finding.Finding{f}
	case [2]int{4, 2}:
		f := finding.Finding{Name: finding.Steal, Validity: finding.Suspect,
			Detail: i18n.Verbatim("the hypervisor took 6.1 % of a CPU, more than the 2 % allowed"), Windows: []int{0}}
		w := &t.Windows[1]
		w.Server.Machine.Steal, w.Level, w.Why = 61*time.Millisecond, finding.Suspect, []finding.Finding{f}
		t.Validity, t.Findings = finding.Suspect, []finding.Finding{f}
	case [2]int{6, 3}:
		t.Status, t.Error, t.Validity = archive.Failed, i18n.Verbatim("the subject died: signal: killed"), finding.Invalid
		t.Windows = t.Windows[:2]
	case [2]int{1, 4}:
		t.Validity = finding.Invalid
		t.Findings = []finding.Finding{{Name: finding.RateMissed, Validity: finding.Invalid,
			Detail: i18n.Verbatim("91.2 % of the planned requests were sent, less than the 99 % required")}}
	}
}
