package capacity

import (
	"slices"
	"time"

	"dyno.example/internal/i18n"
)

// Class is what the trials at a rate say about it.
type Class string

// The classes of a rate. Blocked is one that the generator could not test, so
// that it says nothing about the service.
const (
	Undecided Class = "undecided"
	Lower     Class = "lower" // the objective holds: the capacity is at least this rate
	Upper     Class = "upper" // it fails: the capacity is below this rate
	Blocked   Class = "blocked"
)

// Load is a rate with the trials made at it, in the order they were made.
type Load struct {
	Rate   float64 `json:"rate"` // requests per second
	Class  Class   `json:"class"`
	Trials []Trial `json:"trials"`
	// Why says what kept the generator from testing the rate, and Limited whether
	// that was its own limit, and not a disturbance; only if Blocked.
	Why     i18n.Message `json:"why,omitzero"`
	Limited bool         `json:"limited,omitempty"`
}

// Count returns how many trials of at least the given length came to that decision.
func (l *Load) Count(v Decision, length time.Duration) int {
	n := 0
	for i := range l.Trials {
		if l.Trials[i].Decision == v && l.Trials[i].Length >= length {
			n++
		}
	}
	return n
}

// classify is MLRsearch's load classification. Trials of full length count with
// their time. Shorter ones that failed count too, but only as far as those that
// held don't outweigh them: a short trial may well miss what a long one shows. A
// rate is a lower bound if the share of failing time stays within the exceed
// ratio even if all trials still missing were to fail, and an upper bound if it
// doesn't even if they were all to hold.
func (l *Load) classify(s stage) Class {
	if l.Class == Blocked {
		return Blocked
	}
	var held, failed, shortHeld, shortFailed float64 // seconds
	for i := range l.Trials {
		t := &l.Trials[i]
		full, seconds := t.Length >= s.length, t.Length.Seconds()
		switch {
		case t.Decision == Holds && full:
			held += seconds
		case t.Decision == Fails && full:
			failed += seconds
		case t.Decision == Holds:
			shortHeld += seconds
		case t.Decision == Fails:
			shortFailed += seconds
		}
	}
	failed += max(0, shortFailed-shortHeld*s.exceed/(1-s.exceed))
	whole := max(held+failed, s.sum.Seconds())
	allowed := whole * s.exceed
	switch {
	case whole-held <= allowed:
		return Lower
	case failed > allowed:
		return Upper
	}
	return Undecided
}

// useless reports whether a rate is blocked, and not one trial had a window that
// could be used.
func (l *Load) useless() bool {
	return l.Class == Blocked && !slices.ContainsFunc(l.Trials, func(t Trial) bool { return !t.Useless })
}
