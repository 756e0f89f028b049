package capacity

import (
	"fmt"
	"time"
)

// Goal says how surely and how exactly a capacity is to be known. Its terms are
// those of MLRsearch's search goals. The zero value is not usable; start from
// [DefaultGoal].
type Goal struct {
	Trial   time.Duration `json:"trial_ns"`   // length of the trials that decide ("goal final trial duration")
	Initial time.Duration `json:"initial_ns"` // length of the first ones, which only show where to look; at most Trial
	Trials  int           `json:"trials"`     // of full length, that a rate is judged by at most; their lengths add up to the "goal duration sum"
	Exceed  float64       `json:"exceed"`     // share of trial time in which the objective may fail at a rate that still counts as holding ("goal exceed ratio")
	// Precision is how wide the bracket may be, as a share of its upper end ("goal
	// width").
	Precision float64       `json:"precision"`
	Repeats   int           `json:"repeats"`     // trials that may be repeated at a rate because the generator, not the service, spoiled them
	MinRate   float64       `json:"min_rate"`    // requests per second, below which nothing is searched
	MaxRate   float64       `json:"max_rate"`    // and above which
	MaxTime   time.Duration `json:"max_time_ns"` // of the whole search; 0: no limit
}

// DefaultGoal is good for a bracket of 5 % within a minute or two.
func DefaultGoal() Goal {
	return Goal{
		Trial: 5 * time.Second, Initial: time.Second, Trials: 3, Exceed: 0.5, Precision: 0.05, Repeats: 3,
		MinRate: 1, MaxRate: 1e7, MaxTime: 10 * time.Minute,
	}
}

// Check reports what is wrong with the goal, or nil.
func (g *Goal) Check() error {
	switch {
	case g.Trial < 100*time.Millisecond || g.Trial > time.Hour:
		return fmt.Errorf("trials must take from 100ms to 1h, not %v", g.Trial)
	case g.Initial <= 0 || g.Initial > g.Trial:
		return fmt.Errorf("the first trials must take above 0 and at most the %v of the later ones, not %v", g.Trial, g.Initial)
	case g.Trials < 1 || g.Trials > 1000:
		return fmt.Errorf("the trials at a rate must be from 1 to 1000, not %d", g.Trials)
	case !(g.Exceed >= 0 && g.Exceed < 1):
		return fmt.Errorf("the exceed ratio must be from 0 to below 1, not %v", g.Exceed)
	case !(g.Precision >= 0.001 && g.Precision <= 0.5):
		return fmt.Errorf("the precision must be from 0.1%% to 50%%, not %v", g.Precision)
	case g.Repeats < 0 || g.Repeats > 1000:
		return fmt.Errorf("the repeats must be from 0 to 1000, not %d", g.Repeats)
	case !(g.MinRate > 0) || !(g.MaxRate > g.MinRate):
		return fmt.Errorf("the rates must be above 0, and the lowest, %v, below the highest, %v", g.MinRate, g.MaxRate)
	case g.MaxTime < 0:
		return fmt.Errorf("the time for the search must not be negative, not %v", g.MaxTime)
	}
	return nil
}

// coarse is how many times wider the bracket of the first stage may be.
const coarse = 4

// stage is a target that the search reaches before the next, narrower one.
type stage struct {
	length    time.Duration // of its trials
	sum       time.Duration // of trials at a rate, that decide
	exceed    float64
	precision float64
}

// stages are the targets in order: one short trial at each rate until the bracket
// is narrow enough to be worth long ones, then the goal itself.
func (g *Goal) stages() []stage {
	final := stage{g.Trial, time.Duration(g.Trials) * g.Trial, g.Exceed, g.Precision}
	if g.Initial == g.Trial {
		return []stage{final}
	}
	return []stage{{g.Initial, g.Initial, g.Exceed, min(coarse*g.Precision, 0.5)}, final}
}
