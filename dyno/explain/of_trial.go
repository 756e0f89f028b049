package explain

import (
	"slices"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/internal/i18n"
)

// ofTrialLeast is of how few slow requests of one trial no share is told. It is less than what an
// explanation takes: that a share is no chance shows over several trials.
const ofTrialLeast = 3

// Only is what was added of one trial.
func (c *Cell) Only(trialIndex int) *Cell {
	return &Cell{
		seconds: slices.DeleteFunc(slices.Clone(c.seconds), func(s second) bool { return s.trial != trialIndex }),
		trials:  slices.DeleteFunc(slices.Clone(c.trials), func(t trial) bool { return t.index != trialIndex }),
	}
}

// Share is which part, from 0 to 1, of what traced slow requests took more than ordinary ones a
// cause accounts for, whether that is enough to name it or not.
func (c *Cell) Share(name Name) (share float64, missing i18n.Message) {
	t, _ := c.tally(&Explanation{})
	switch {
	case t == nil:
		return 0, notTraced
	case len(t.pairs) < ofTrialLeast || len(t.ordinary) < slowLeast:
		return 0, i18n.New("explain.few-of-a-trial", "%d slow and %d ordinary requests were traced, and fewer than %d and %d say nothing", len(t.pairs), len(t.ordinary), ofTrialLeast, slowLeast)
	}
	t.moved = c.overlays(t)
	excess := make([]float64, len(t.pairs))
	for i := range t.pairs {
		excess[i] = t.in(name, t.pairs[i].excess)
	}
	return min(1, max(0, t.share(excess, -1))), i18n.Message{}
}

// notTraced is why nothing is known of single requests.
var notTraced = i18n.New("explain.not-traced", "no request was traced")

// forCPU are the stages in which all that a request lacks is that it is run.
var forCPU = []evidence.Stage{evidence.Scheduler, evidence.LoopQueue, evidence.CPUWait}

// LongestWait is how long the traced request that waited longest to be run did so, in all: for the server's
// runtime to give it a thread, for the thread's other work, and for the kernel to give the thread a CPU.
// While the probes are on, all slow requests are traced; where more of them were lost than a share can stand,
// or requests were looked at in a part of the time only, it is missing, and longest is what it was at least.
func (c *Cell) LongestWait() (longest time.Duration, missing i18n.Message) {
	missing = notTraced
	for i := range c.trials {
		t := &c.trials[i]
		if t.header == nil {
			continue
		}
		counts := &t.header.Counts
		lost := counts.Overwritten + counts.Dropped + counts.Cut
		switch share := t.header.Looked.Share(); {
		case float64(lost) > lostMost*float64(counts.Kept+lost):
			missing = i18n.New("explain.too-many-lost", "%d of %d samples lack events or were given up, and the one that waited longest may be among them", lost, counts.Kept+lost)
		case share < allOfIt:
			missing = i18n.New("explain.not-looked-at", "requests were looked at in %.0f %% of the time, and the one that waited longest may be of the rest", 100*share)
		case len(t.records) > 0:
			missing = i18n.Message{}
		}
		for r := range t.records {
			waited, spent := int64(0), t.records[r].Budget()
			for _, stage := range forCPU {
				waited += spent[stage]
			}
			longest = max(longest, time.Duration(waited))
		}
	}
	return longest, missing
}
