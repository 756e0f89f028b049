package analysis

import "slices"

// Where the figure of a trial comes from.
const (
	OriginSlices = "slices" // the slices that the subject had by turns with others
	OriginTrial  = "trial"  // a load of its own, one subject after the other
	OriginStart  = "start"  // starting, warming up or the program itself: no load that counts
)

// beforeLoad are the metrics that are known before a load counts.
var beforeLoad = []string{"start", "executable", "size", "cpu.idle", "warmup"}

// Origin says where a cell's figure of a metric comes from in one of its trials, by the
// trial's index.
func (c *Cell) Origin(trial int, metric string) string {
	switch {
	case slices.Contains(beforeLoad, metric):
		return OriginStart
	case slices.Contains(c.Sliced, trial):
		return OriginSlices
	}
	return OriginTrial
}
