package validity

import (
	"math"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine/speed"
	"dyno.example/internal/i18n"
)

// Thresholds of cpu-speed; dyno/docs/findings.md explains them.
const (
	speedApart  = 0.05 // off the median of the run's trials
	speedTrials = 3    // whose CPU was read, before which a median says nothing
)

// moments are when CPUs are read. A CPU is held to itself at the same moment of
// other trials: CPUs of one machine differ, and are cooler before a load than
// after it.
var moments = []struct {
	name i18n.Message
	of   func(*archive.Speed) []speed.Reading
}{
	{i18n.New("validity.moment-before", "before"), func(s *archive.Speed) []speed.Reading { return s.Before }},
	{i18n.New("validity.moment-after", "after"), func(s *archive.Speed) []speed.Reading { return s.After }},
}

// UsualSpeed is the median speed of each CPU at each moment over trials.
type UsualSpeed struct {
	at []map[int]usual // by moment, then by CPU
}

// usual is what a CPU mostly does.
type usual struct {
	chain, wide float64 // operations/ns
	trials      int     // they are the medians of
}

// NewUsualSpeed takes the medians over the trials' speeds. Those that are nil, of
// trials that have none, are left out.
func NewUsualSpeed(trials []*archive.Speed) *UsualSpeed {
	u := &UsualSpeed{}
	for _, m := range moments {
		chains, wides := map[int][]float64{}, map[int][]float64{}
		for _, s := range trials {
			if s == nil {
				continue
			}
			for _, r := range m.of(s) {
				if known(r) {
					chains[r.CPU] = append(chains[r.CPU], r.Chain)
					wides[r.CPU] = append(wides[r.CPU], r.Wide)
				}
			}
		}
		medians := map[int]usual{}
		for cpu := range chains {
			medians[cpu] = usual{chain: middle(chains[cpu]), wide: middle(wides[cpu]), trials: len(chains[cpu])}
		}
		u.at = append(u.at, medians)
	}
	return u
}

// known reports whether a reading has both figures.
func known(r speed.Reading) bool { return r.Chain > 0 && r.Wide > 0 }

// shift is a reading compared with what is usual.
type shift struct {
	moment      i18n.Message
	cpu, trials int
	was, is     float64 // wide, operations/ns
	chain, wide float64 // off the usual, as a share
}

// size is by how much it is off.
func (s *shift) size() float64 { return max(math.Abs(s.chain), math.Abs(s.wide)) }

// Judge says if one of a trial's CPUs was slower or faster than usual, before it or
// after. A run in which most trials were slow is as little of one speed as one in
// which few were, so both directions count.
//
// Neighbours come and go within seconds, so that one that was there at one of the
// two moments says little about the time between them: that is a remark. It is one
// that was there, or away, at both that makes the trial suspect, or another clock
// rate.
func (u *UsualSpeed) Judge(s *archive.Speed) []finding.Finding {
	var worst shift
	readings, off, level := 0, 0, finding.Valid
	before := make(map[int]float64) // how far a CPU's wide work was off
	for i, m := range moments {
		for _, r := range m.of(s) {
			usual := u.at[i][r.CPU]
			if !known(r) || usual.trials < speedTrials {
				continue
			}
			readings++
			here := shift{m.name, r.CPU, usual.trials, usual.wide, r.Wide, r.Chain/usual.chain - 1, r.Wide/usual.wide - 1}
			if here.size() >= speedApart {
				off++
			}
			if math.Abs(here.chain) >= speedApart || lasting(before[r.CPU], here.wide) {
				level = finding.Suspect
			}
			before[r.CPU] = here.wide
			if here.size() > worst.size() {
				worst = here
			}
		}
	}
	if off == 0 {
		return nil
	}
	return []finding.Finding{newFinding(finding.CPUSpeed, level, nil, i18n.New("validity.readings-off", "%s; readings off: %d of %d", worst.describe(), off, readings))}
}

// lasting reports whether a CPU was off in one direction before a trial and after.
func lasting(before, after float64) bool {
	return before*after > 0 && min(math.Abs(before), math.Abs(after)) >= speedApart
}

func (s *shift) describe() i18n.Message {
	return i18n.New("validity.cpu-speed-changed", "%s the trial CPU %d did %.4g operations/ns, where the median of %d trials is %.4g: %+.0f %%, and %+.0f %% where each operation waits for the last (limit %.0f %%), as with %s",
		s.moment, s.cpu, s.is, s.trials, s.was, 100*s.wide, 100*s.chain, 100*speedApart, s.cause())
}

// cause is what such a shift looks like. A clock rate moves both kinds of work
// alike; a hyper-thread beside the CPU takes units of the core, which a chain of
// operations hardly uses.
func (s *shift) cause() i18n.Message {
	if 2*math.Abs(s.chain) < math.Abs(s.wide) {
		return i18n.New("validity.hyperthread-changed", "another share of the core, beside a hyper-thread that is busy or no longer is")
	}
	return i18n.New("validity.another-clock-rate", "another clock rate")
}

// Slower is by which factor the CPUs of a trial took longer than usual for work that is
// bound by them, on average of all readings; 1 if there is nothing to compare them with.
func (u *UsualSpeed) Slower(s *archive.Speed) float64 {
	sum, n := 0.0, 0.0
	for i, m := range moments {
		for _, r := range m.of(s) {
			if usual := u.at[i][r.CPU]; known(r) && usual.trials >= speedTrials {
				sum, n = sum+math.Log(usual.wide/r.Wide), n+1
			}
		}
	}
	return math.Exp(sum / max(n, 1))
}
