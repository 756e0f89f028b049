package stats

import "math"

// TwoStage decides whether a ratio is above 1, in pairs that are measured one after the
// other, each of which is one observation: of an old and a new version started once, say.
//
// An alarm takes two stages of fresh pairs, each of which must find the ratio certainly
// above 1. Each may look after every pair: what it may err by is spent over the looks, so
// that a large difference ends it after two or three. A stage ends without an alarm as
// soon as a ratio as large as Asked is ruled out, which is looked at after every pair too.
// So with normal noise, whatever its size:
//
//   - a ratio of 1 alarms in at most Alarms of the runs (each stage in its root),
//   - a ratio of Asked is called clear in at most Misses (each stage in half),
//   - and what neither is decided by Most pairs of a stage is left open.
//
// A ratio between is called either, the nearer the more often; below the middle of the two
// (on the log scale) there is no alarm, however certain that it is above 1: it is not
// what was asked about.
//
// Both limits are those of [Spending] with one side: group-sequential tests of a mean with
// unknown variance (Jennison and Turnbull, Group Sequential Methods, 2000, chapters 7, 11),
// by simulated studies, with an error that is spent by Hwang, Shih and DeCani's family
// (Statistics in Medicine 9, 1990): that of an alarm sooner than pairs come in (γ = 2), as a
// gate that alarms should not take long, that of clear later (γ = −1), so that what was asked
// about is hardly missed. The test for clear is not binding: going on regardless costs no
// false alarms.
//
// Values are immutable and safe for concurrent use.
type TwoStage struct {
	Asked  float64 // the ratio to be found, above 1
	Alarms float64 // share of false alarms, such as 0.01
	Misses float64 // share of ratios of Asked that are called clear, such as 0.04
	Most   int     // pairs of each stage at most, at least 2

	above, clear []float64 // limits of the t statistic after 2, 3, … Most pairs
	both         []float64 // of a 95 % interval at every look
}

// twoStageLevel is that of the intervals shown.
const twoStageLevel = 0.95

// NewTwoStage plans such a decision. It takes some 400 ms.
func NewTwoStage(asked, alarms, misses float64, most int) *TwoStage {
	t := &TwoStage{Asked: asked, Alarms: alarms, Misses: misses, Most: max(most, 2)}
	t.above, t.clear = oneSided(t.Most, math.Sqrt(alarms), sooner), oneSided(t.Most, misses/2, later)
	t.both = oneSided(t.Most, (1-twoStageLevel)/2, sooner)
	return t
}

// Stand is where a stage, or the whole, stands.
type Stand string

// The stands.
const (
	Open  Stand = "open"  // goes on
	Above Stand = "above" // certainly above 1: an alarm if it is of both stages
	Clear Stand = "clear" // as much as was asked about is ruled out
	Spent Stand = "spent" // no more pairs, and neither is certain
)

// Staged is where it stands after so many pairs.
type Staged struct {
	Stand     Stand
	Stage     int     // 1 or 2: that which decides, or is under way
	Mean      float64 // log ratio of that stage's pairs
	Deviation float64 // of one pair of both stages' pairs: what decides how many it takes; 0 if not known
	// About how many pairs of the stage are still to come if the ratio is 1, or Asked; 0 if
	// it is decided, or there is no telling.
	MoreIfSame, MoreIfAsked int
}

// Decide holds the log ratios of the first stage's pairs, and of the second's, in the order
// in which they were measured, against the limits: the earliest look that decided stands.
func (t *TwoStage) Decide(first, second []float64) Staged {
	s := t.Stage(first)
	if s.Stand == Above {
		s = t.Stage(second)
		s.Stage = 2
	}
	s.Deviation = pooledDeviation(first, second)
	return s
}

// Stage is where a single stage stands.
func (t *TwoStage) Stage(logs []float64) Staged {
	s := t.stage(logs)
	s.Stage, s.Deviation = 1, pooledDeviation(logs)
	if s.Stand == Open && s.Deviation > 0 {
		s.MoreIfSame = max(t.expected(0, s.Deviation)-len(logs), 1)
		s.MoreIfAsked = max(t.expected(math.Log(t.Asked), s.Deviation)-len(logs), 1)
	}
	return s
}

// Ratio is the ratio that a stage's pairs tell, with an interval that holds it at 95 % at
// every look together (Jennison and Turnbull's repeated confidence interval).
func (t *TwoStage) Ratio(logs []float64) Interval {
	n := len(logs)
	if n < 2 || n > t.Most {
		return fewLogs(logs)
	}
	m, stderr := meanAndError(logs)
	return ratioInterval(n, m, t.both[n-2]*stderr, twoStageLevel)
}

// stage looks after each pair.
func (t *TwoStage) stage(logs []float64) (s Staged) {
	for n := 2; n <= min(len(logs), t.Most); n++ {
		m, stderr := meanAndError(logs[:n])
		s.Mean = m
		if s.Stand = t.look(m, stderr, n); s.Stand != Open {
			return s
		}
	}
	if len(logs) == 1 {
		s.Mean = logs[0]
	}
	s.Stand = Open
	if len(logs) >= t.Most {
		s.Stand = Spent
	}
	return s
}

func (t *TwoStage) look(m, stderr float64, n int) Stand {
	asked := math.Log(t.Asked)
	switch {
	case m > t.above[n-2]*stderr && m > asked/2:
		return Above
	case asked-m > t.clear[n-2]*stderr:
		return Clear
	}
	return Open
}

// expected is the number of pairs after which a stage decides if the mean is where it is
// expected to be, and the scatter what it was.
func (t *TwoStage) expected(m, deviation float64) int {
	for n := 2; n <= t.Most; n++ {
		if t.look(m, deviation/math.Sqrt(float64(n)), n) != Open {
			return n
		}
	}
	return t.Most
}

func pooledDeviation(stages ...[]float64) float64 {
	squares, freedom := 0.0, 0.0
	for _, logs := range stages {
		if n := float64(len(logs)); n >= 2 {
			_, stderr := meanAndError(logs)
			squares, freedom = squares+stderr*stderr*n*(n-1), freedom+n-1
		}
	}
	if freedom == 0 {
		return 0
	}
	return math.Sqrt(squares / freedom)
}

// When an error is spent: γ of Hwang, Shih and DeCani.
const (
	sooner = 2.0
	later  = -1.0
)

// oneSided are the limits that the t statistic of pairs without a difference exceeds, at
// any look after 2 to most, with the probability alpha.
func oneSided(most int, alpha, gamma float64) []float64 {
	limits := make([]float64, 0, most-1)
	p := newPaths(mostStudies, 1)
	p.signed = true
	spent := 0.0
	for n := 2; n <= most; n++ {
		allowed := spentAt(float64(n)/float64(most), alpha, gamma)
		limit := p.leave(p.next(), allowed-spent, 0.9*studentQuantile(float64(n-1), 1-alpha)) // none is below that of a single look
		if !math.IsInf(limit, 1) {
			spent = allowed
		}
		limits = append(limits, limit)
	}
	return limits
}

// spentAt is the error spent up to a share of the pairs.
func spentAt(share, alpha, gamma float64) float64 {
	return alpha * (1 - math.Exp(-gamma*share)) / (1 - math.Exp(-gamma))
}
