package capacity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno.example/internal/i18n"
)

// Search looks for the capacity of a service.
type Search struct {
	Goal    Goal
	Service Service
	// Start is the rate to begin with, in requests per second; 0 means near what
	// a closed loop reaches.
	Start float64
	// OnTrial, if set, is called after each trial with the rate it was at. The
	// load must not be kept.
	OnTrial func(*Load)
}

// Result is what a search came to.
type Result struct {
	// What the machine did to the trials.
	Disturbed
	// Holds is the highest rate at which the objective holds, with no lower one at
	// which it fails; Fails the lowest at which it fails. Either may be nil. Rates
	// between them that were disturbed in every trial are left open.
	Holds *Load `json:"holds"`
	Fails *Load `json:"fails"`
	// Limit is the rate at which the generator came to its end, or was disturbed in
	// every trial, if that is what ended the search upwards.
	Limit   *Load          `json:"limited_by_generator,omitempty"`
	Closed  float64        `json:"closed_loop"` // requests per second that a closed loop reached first; 0 if none ran
	Width   float64        `json:"width"`       // of the bracket, as a share of its upper end; 0 if there is none
	Reached bool           `json:"reached"`     // the bracket is as narrow as asked for
	Why     i18n.Message   `json:"why"`         // why not, or why there is no bracket; "" if it was
	Broke   []Broken       `json:"broke"`       // what fails at the upper end, what fails most first
	Hints   []i18n.Message `json:"hints"`       // what may help, and what to keep in mind
	Loads   []Load         `json:"loads"`       // all rates, ascending; none if nothing responded before the search
	Took    time.Duration  `json:"took_ns"`
}

// Found reports whether there is a bracket.
func (r *Result) Found() bool { return r.Holds != nil && r.Fails != nil }

// Reasons why a search ends before its goal.
var (
	errTime      = i18n.Errorf("capacity.time-up", "time was up")
	errFloor     = i18n.Errorf("capacity.fails-at-lowest", "it fails even at the lowest rate")
	errTop       = i18n.Errorf("capacity.holds-at-highest", "it holds even at the highest rate")
	errDisturbed = i18n.Errorf("capacity.always-disturbed", "this machine was disturbed in every trial")
	errFew       = i18n.Errorf("capacity.too-few-usable-trials", "too few of the trials could be used")
	errEnded     = i18n.Errorf("capacity.was-interrupted", "it was interrupted")
	errSilent    = i18n.Errorf("capacity.nothing-answered", "nothing responded")
	errUnseen    = i18n.Errorf("capacity.no-usable-trial", "no trial could be used")
)

// Run searches until the goal is reached, the generator is the limit, or time is
// up; the reason is in the result. A search that ctx interrupts gives what it has
// found so far. Errors are those of the service's trials.
func (s *Search) Run(ctx context.Context) (*Result, error) {
	if err := s.Goal.Check(); err != nil {
		return nil, err
	}
	w := &walk{search: s, began: time.Now()}
	ended := w.begin(ctx)
	stages := s.Goal.stages()
	for i, st := range stages {
		if ended != nil {
			break
		}
		w.stage, w.step = st, st.precision
		if ended = w.narrow(ctx); i+1 < len(stages) && (ended == errTop || ended == errFloor) {
			ended = nil // which a short trial can't tell: the next stage's do
		}
	}
	if ctx.Err() != nil && len(w.loads) > 0 {
		ended = errEnded
	}
	if ended != nil && !isReason(ended) {
		return nil, ended
	}
	if ended == errTime && w.alwaysDisturbed() {
		ended = errDisturbed // which more time would not have mended
	}
	return w.result(ended), nil
}

// alwaysDisturbed reports whether there were trials, and this machine spoiled each.
func (w *walk) alwaysDisturbed() bool {
	for _, l := range w.loads {
		for i := range l.Trials {
			if t := &l.Trials[i]; t.Decision != Spoiled || t.Limited || t.Short {
				return false
			}
		}
	}
	return len(w.loads) > 0 && len(w.loads[0].Trials) > 0
}

func isReason(err error) bool {
	return errors.Is(err, errSilent) || errors.Is(err, errUnseen) || slices.Contains([]error{errTime, errFloor, errTop, errDisturbed, errFew, errEnded}, err)
}

// walk is a search under way.
type walk struct {
	search  *Search
	began   time.Time
	ceiling Ceiling // of a closed loop before the search, if one ran
	start   float64
	loads   []*Load // ascending
	stage   stage
	step    float64 // next step outwards, as a share of the rate
}

// begin finds where to start. It ends there if there is no response.
func (w *walk) begin(ctx context.Context) error {
	g := &w.search.Goal
	w.start = w.search.Start
	if w.start == 0 {
		c, err := w.search.Service.Ceiling(ctx)
		if err != nil {
			return err
		}
		w.ceiling = c
		reached := cmp.Or(c.Rate, c.Seen)
		switch {
		case reached == 0 && c.Useless:
			return fmt.Errorf("%w: %s", errUnseen, c.Why)
		case reached == 0:
			return fmt.Errorf("%w: %s", errSilent, c.Why)
		}
		// A closed loop's throughput is where an open one's queue has no bound.
		w.start = 0.9 * reached
	}
	w.start = min(max(round(w.start), g.MinRate), g.MaxRate)
	return nil
}

// narrow goes on until the stage's bracket is narrow enough. An error is one of
// the reasons above, or of a trial.
func (w *walk) narrow(ctx context.Context) error {
	for {
		rate, done, err := w.next()
		if done || err != nil {
			return err
		}
		if err := w.decide(ctx, w.at(rate)); err != nil {
			return err
		}
	}
}

// ends are the bounds of the bracket as far as they are known: decided by the
// stage, or only by shorter trials before it.
type ends struct{ low, high *Load }

// bracket returns the closest ends. Where rates contradict each other, an upper
// bound counts: the capacity is below the lowest rate that failed.
func (w *walk) bracket() ends {
	var e ends
	for _, l := range w.loads {
		switch w.classOf(l) {
		case Lower:
			e.low = l
		case Upper, Blocked:
			e.high = l
			return e
		}
	}
	return e
}

// classOf is the class by the stage's rules or, if that is open, by the first
// stage's.
func (w *walk) classOf(l *Load) Class {
	if c := l.classify(w.stage); c != Undecided {
		return c
	}
	return l.classify(w.search.Goal.stages()[0])
}

// next says which rate needs trials, or that the bracket is found.
func (w *walk) next() (rate float64, done bool, err error) {
	e := w.bracket()
	switch {
	case e.low == nil && e.high == nil:
		return w.start, false, nil
	case e.high == nil:
		if e.low.Rate >= w.search.Goal.MaxRate && e.low.classify(w.stage) == Undecided {
			return e.low.Rate, false, nil
		}
		return w.outward(e.low.Rate, 1, w.search.Goal.MaxRate, errTop)
	case e.low == nil:
		if e.high.classify(w.stage) == Undecided {
			return e.high.Rate, false, nil
		}
		if e.high.useless() {
			return 0, false, errDisturbed // other rates would be no better off
		}
		return w.outward(e.high.Rate, -1, w.search.Goal.MinRate, w.floorReason())
	}
	if 1-e.low.Rate/e.high.Rate > w.stage.precision {
		if rate := w.middle(e); rate > e.low.Rate && rate < e.high.Rate {
			return rate, false, nil
		}
	}
	for _, l := range []*Load{e.low, e.high} {
		if l.classify(w.stage) == Undecided {
			return l.Rate, false, nil
		}
	}
	return 0, true, nil
}

// floorReason is why there is nothing below the lowest rate.
func (w *walk) floorReason() error {
	for _, l := range w.loads {
		if w.classOf(l) == Upper {
			return errFloor
		}
	}
	if w.alwaysDisturbed() {
		return errDisturbed
	}
	return errFew
}

// outward goes up or down from a rate in steps that double each time, until the
// limit.
func (w *walk) outward(from float64, direction int, limit float64, reason error) (float64, bool, error) {
	if from == limit {
		return 0, false, reason
	}
	factor := 1 + w.step
	w.step = min(2*w.step, 1)
	if direction > 0 {
		return min(round(from*factor), limit), false, nil
	}
	return max(round(from/factor), limit), false, nil
}

// middle splits the bracket into two of the same ratio, for what is left to be
// done is the same on both sides.
func (w *walk) middle(e ends) float64 {
	return round(geometricMean(e.low.Rate, e.high.Rate))
}

// at returns the load of a rate, a new one if there is none.
func (w *walk) at(rate float64) *Load {
	i, found := slices.BinarySearchFunc(w.loads, rate, func(l *Load, rate float64) int {
		switch {
		case l.Rate < rate:
			return -1
		case l.Rate > rate:
			return 1
		}
		return 0
	})
	if !found {
		w.loads = slices.Insert(w.loads, i, &Load{Rate: rate, Class: Undecided})
	}
	return w.loads[i]
}

// maxLimited is how often a trial at the generator's limit is repeated: that is
// less often chance than a disturbance is.
const maxLimited = 1

// decide makes trials at a rate until it is classified. One that the generator
// can't do is Blocked.
func (w *walk) decide(ctx context.Context, l *Load) error {
	spoiled, limited := 0, 0
	for l.classify(w.stage) == Undecided {
		if w.late() {
			return errTime
		}
		t, err := w.trial(ctx, l)
		if err != nil {
			return err
		}
		if t.Decision != Spoiled {
			continue
		}
		spoiled++
		if t.Limited {
			limited++
		}
		if spoiled > w.search.Goal.Repeats || limited > maxLimited {
			l.Class, l.Limited, l.Why = Blocked, 2*limited >= spoiled, t.Why
		}
	}
	l.Class = l.classify(w.stage)
	return nil
}

// trial makes one and lets the service calm down if it was too much.
func (w *walk) trial(ctx context.Context, l *Load) (Trial, error) {
	t, err := w.search.Service.Trial(ctx, Ask{Rate: l.Rate, Length: w.stage.length, Number: len(l.Trials)})
	if err != nil {
		return t, err
	}
	if t.Decision != Holds {
		if t.Settled, err = w.search.Service.Settle(ctx); err != nil {
			return t, err
		}
	}
	l.Trials = append(l.Trials, t)
	if w.search.OnTrial != nil {
		shown := *l
		shown.Class = l.classify(w.stage)
		w.search.OnTrial(&shown)
	}
	return t, nil
}

// late reports whether there is no time for another trial.
func (w *walk) late() bool {
	limit := w.search.Goal.MaxTime
	return limit > 0 && time.Since(w.began)+w.stage.length > limit
}
