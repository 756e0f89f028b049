package explain

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
)

// Cell gathers what is known of one subject under one load, trial by trial.
type Cell struct {
	seconds []second
	trials  []trial // in the order in which they were added
}

// second is a window that counts.
type second struct {
	trial     int // index
	window    int
	completed float64
	times     times     // of responses that were due or came in it
	amounts   []float64 // by measure
	known     []bool
}

// trial has the evidence of requests of one trial.
type trial struct {
	index   int
	header  *evidence.Header // nil without
	records []evidence.Record
}

// Add takes the next window of a trial that counts, of which nothing is kept, with its
// response times in µs. The windows of one trial follow one another.
func (c *Cell) Add(trialIndex int, w *archive.Window, responses stats.Counts) {
	if n := len(c.trials); n == 0 || c.trials[n-1].index != trialIndex {
		c.trials = append(c.trials, trial{index: trialIndex})
	}
	s := second{
		trial: trialIndex, window: w.Client.Index, completed: float64(w.Client.Completed),
		times:   timesOf(responses, w.Client.Waited[measure.Response]),
		amounts: make([]float64, len(measures)), known: make([]bool, len(measures)),
	}
	for i := range measures {
		s.amounts[i], s.known[i] = measures[i].of(w)
	}
	c.seconds = append(c.seconds, s)
}

// AddEvidence takes the evidence of requests of a trial whose windows were added. The
// records are the cell's from here on.
func (c *Cell) AddEvidence(trialIndex int, h *evidence.Header, records []evidence.Record) {
	at := slices.IndexFunc(c.trials, func(t trial) bool { return t.index == trialIndex })
	if at < 0 {
		c.trials = append(c.trials, trial{index: trialIndex})
		at = len(c.trials) - 1
	}
	c.trials[at].header, c.trials[at].records = h, records
}

// Explain says why the slow requests were slow.
func (c *Cell) Explain() Explanation {
	e := Explanation{Source: Nothing, Causes: []Cause{}, Budget: []Part{}, Unexplained: 1}
	e.Sampled.Seconds = len(c.seconds)
	for i := range c.seconds {
		e.Sampled.Requests += int(c.seconds[i].completed)
	}
	if c.byRequests(&e) {
		return e
	}
	c.bySeconds(&e)
	return e
}

// Drop forgets a trial: no figure rests on it.
func (c *Cell) Drop(trialIndex int) {
	c.seconds = slices.DeleteFunc(c.seconds, func(s second) bool { return s.trial == trialIndex })
	c.trials = slices.DeleteFunc(c.trials, func(t trial) bool { return t.index == trialIndex })
}
