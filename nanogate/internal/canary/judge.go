package canary

import (
	"fmt"
	"math"
	"time"

	"dyno.example/nanogate/internal/anytime"
)

// alpha is the chance with which one of the tests may be wrong about a canary that isn't
// worse: all of them together no more than the configuration allows (Bonferroni).
func (k *Canary) alpha() float64 {
	alpha := 1 - k.Config.Rules.Confidence
	if k.Config.Rules.Slow > 0 {
		alpha /= 2
	}
	return alpha
}

// judge gives the canary up if it is worse, or goes on to its next step. now is in ns.
func (k *Canary) judge(now int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state != Running {
		return
	}
	rules := &k.Config.Rules
	sides, failed, slow := k.counts()
	if limit := -math.Log(k.alpha()); !rules.Off && sides[1].Requests >= uint64(rules.Least) {
		switch {
		case anytime.Against(failed, rules.Errors) >= limit:
			k.rollBack(fmt.Sprintf("%d of %d requests failed, and %d of %d at the route's own upstream", sides[1].Failed, sides[1].Requests, sides[0].Failed, sides[0].Requests))
			return
		case rules.Slow > 0 && anytime.Against(slow, rules.Slower) >= limit:
			k.rollBack(fmt.Sprintf("%d of %d requests took %v or more, and %d of %d at the route's own upstream", sides[1].Slow, sides[1].Requests, rules.Slow, sides[0].Slow, sides[0].Requests))
			return
		}
	}
	if step := k.Config.Steps[k.step]; step.For > 0 && now-k.begun >= int64(step.For) && k.step+1 < len(k.Config.Steps) {
		k.enter(k.step+1, now)
	}
}

// Report is how a canary is doing.
type Report struct {
	State  State
	Since  time.Time
	Began  time.Time // the run, whose requests are counted
	Why    string    // it was rolled back
	Step   int       // from 0
	Weight float64   // of the requests that are drawn
	Stable Side
	Canary Side
	Failed Ratio
	Slow   Ratio
}

// Ratio is how many times as often something happens at the canary, with an interval that
// holds whenever it is looked at, with the confidence of the rules.
type Ratio struct {
	Estimate  float64 // NaN: nothing has happened
	Low, High float64
}

// Report returns how it is doing.
func (k *Canary) Report() Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	sides, failed, slow := k.counts()
	r := Report{State: k.state, Since: k.since, Began: k.started, Why: k.why, Step: k.step, Stable: sides[0], Canary: sides[1], Failed: k.ratio(failed), Slow: Ratio{Estimate: math.NaN()}}
	if k.state == Running {
		r.Weight = k.Config.Steps[k.step].Weight
	}
	if k.Config.Rules.Slow > 0 {
		r.Slow = k.ratio(slow)
	}
	return r
}

func (k *Canary) ratio(all []anytime.Counts) Ratio {
	low, high := anytime.Interval(all, k.Config.Rules.Confidence)
	return Ratio{anytime.Ratio(all), low, high}
}
