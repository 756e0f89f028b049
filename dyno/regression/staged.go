package regression

import (
	"math"

	"dyno.example/dyno/compare"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Stages has a gate measure pair by pair, both versions started once each, and end as soon
// as every check is decided: [stats.TwoStage] says how. A threshold is then the regression
// that is asked about. It belongs to one gate, and is not safe for concurrent use.
type Stages struct {
	Alarms float64 // share of gates that alarm about nothing, at most, of all checks together
	Misses float64 // share of regressions as large as a threshold that are called well, of each check
	Most   int     // pairs of each of the two runs

	checks int // that share Alarms
	plans  map[stagePlan]*stats.TwoStage
}

type stagePlan struct {
	asked  float64
	checks int
}

// NewStages is for so many pairs of each run at most; 0: the usual number.
func NewStages(most int) *Stages {
	const usual = 18 // enough for 3 % where a pair deviates by 2.8 %
	if most == 0 {
		most = usual
	}
	return &Stages{Alarms: 0.01, Misses: 0.04, Most: max(most, minTrials), plans: map[stagePlan]*stats.TwoStage{}}
}

// share has so many checks share Alarms. The second run has fewer, and both runs' shares
// are in a check's rate.
func (s *Stages) share(checks int) { s.checks = max(s.checks, checks, 1) }

// plan is the one for a threshold.
func (s *Stages) plan(t threshold.Threshold) *stats.TwoStage {
	key := stagePlan{math.Exp(math.Abs(math.Log(t.Limit()))), s.checks}
	if s.plans[key] == nil {
		s.plans[key] = stats.NewTwoStage(key.asked, s.Alarms/float64(key.checks), s.Misses, s.Most)
	}
	return s.plans[key]
}

// PairFigure is what a gate that goes pair by pair knows about a check's pairs.
type PairFigure struct {
	Count int `json:"count"`
	// Deviation of the log ratio of one pair decides how many pairs it takes.
	Deviation float64     `json:"deviation"`
	Stand     stats.Stand `json:"stand"`
	// About how many pairs are still to come, if nothing is worse, and if it is by as much
	// as the threshold; 0 if that is unknown.
	MoreIfSame  int `json:"more_if_same,omitempty"`
	MoreIfWorse int `json:"more_if_worse,omitempty"`
}

// stage judges a metric's pairs.
func (c *Check) stage(v *values, plan *stats.TwoStage) {
	logs := make([]float64, len(v.new))
	for i := range logs {
		if logs[i] = math.Log(v.new[i] / v.old[i]); !c.Threshold.Rises() {
			logs[i] = -logs[i]
		}
	}
	s := plan.Stage(logs)
	c.Pairs = &PairFigure{Count: len(logs), Deviation: s.Deviation, Stand: s.Stand, MoreIfSame: s.MoreIfSame, MoreIfWorse: s.MoreIfAsked}
	if c.Ratio = plan.Ratio(logs); !c.Threshold.Rises() {
		r := &c.Ratio
		r.Estimate, r.Low, r.High = 1/r.Estimate, 1/r.High, 1/r.Low
	}
	switch s.Stand {
	case stats.Above:
		c.Decision = Regression
	case stats.Clear:
		c.Decision = OK
	}
	switch {
	case s.Stand == stats.Spent:
		c.Finds = finds(s.Deviation/math.Sqrt2, len(logs), c.Threshold, c.Ratio.Level)
		c.Needs = needs(s.Deviation/math.Sqrt2, len(logs), c.Threshold, c.Ratio.Level)
	case s.Stand != stats.Open:
		c.Finds = math.Abs(c.Threshold.Change) // what is as large is missed in no more than Misses
	}
	c.Sentence = i18n.Join(c.says(), i18n.New("regression.pairs-deviate", "; %d pairs, of which one deviates by %.2g %%", len(logs), 100*s.Deviation))
}

// Standing is how far a check is.
type Standing struct {
	Name  string
	Done  bool
	Text  i18n.Message
	Pairs int // more that it takes, about; 0: not known
}

// Standings says of each check of a gate in stages how far it is after so many pairs. What
// can't be judged keeps nobody waiting for longer than it takes to see that.
func (r *Result) Standings(pairs int) (list []Standing) {
	for i := range r.Checks {
		c := &r.Checks[i]
		s := Standing{Name: c.Metric + ", " + c.Subject + ", " + c.Group, Text: c.Sentence, Done: pairs >= minTrials}
		if p := c.Pairs; p != nil {
			s.Done = s.Done && p.Stand != stats.Open
			s.Pairs = max(p.MoreIfSame, p.MoreIfWorse)
			s.Text = i18n.Join(compare.Change(c.Ratio), i18n.New("regression.pair-deviates", "; one pair deviates by %.2g %%", 100*p.Deviation))
		}
		list = append(list, s)
	}
	return list
}
