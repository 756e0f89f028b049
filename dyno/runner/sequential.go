package runner

import (
	"context"

	"dyno.example/dyno/archive"
	"dyno.example/internal/i18n"
)

// Progress says how far a run is from what it is to find out.
type Progress struct {
	Goals []Goal `json:"goals"` // none: the run goes on until its time is up
}

// Goal is one thing to find out: a claim to be decided, intervals to be narrow.
type Goal struct {
	Name   string       `json:"name"`
	Done   bool         `json:"done"`
	Text   i18n.Message `json:"text"`             // where it stands, in one line
	Blocks int          `json:"blocks,omitempty"` // more that it will take, estimated; 0: not known
}

// Done reports whether there were goals and all are reached.
func (p *Progress) Done() bool {
	for _, g := range p.Goals {
		if !g.Done {
			return false
		}
	}
	return len(p.Goals) > 0
}

// blocks estimates how many more blocks all goals take; false if that isn't known.
func (p *Progress) blocks() (n int, known bool) {
	for _, g := range p.Goals {
		if !g.Done {
			if g.Blocks == 0 {
				return 0, false
			}
			n = max(n, g.Blocks)
		}
	}
	return n, n > 0
}

// Why a run that goes on block by block ended.
const (
	EndDecided = "decided" // all goals are reached
	EndTime    = "time"    // another block would take longer than there is time for
	EndBlocks  = "blocks"  // it has as many blocks as were allowed
)

// leastBlocks is how many blocks there are before anything can be decided: one
// block shows no spread.
const leastBlocks = 2

// goOn plans one more block, or says that the run ends here. It is an error if the last
// blocks had no usable trial: the time would be spent on trials that fail at once. A run
// that stops depending on what it found needs intervals that hold at any time of stopping;
// package analysis uses those for a run with [archive.Manifest.Until].
func (e *execution) goOn(ctx context.Context, w *archive.Writer) (more bool, err error) {
	if !e.runner.Study.Until.Sequential() || ctx.Err() != nil {
		return false, nil
	}
	if e.failing >= leastBlocks*len(e.plan.Cells) {
		return false, i18n.Errorf("runner.failing-repeatedly", "the last %d trials have failed one after the other, and so would more", e.failing)
	}
	p, err := e.progress(w)
	if err != nil {
		return false, err
	}
	end := e.pace.end(&p, e.plan.Blocks())
	e.tell(Event{Kind: Assessed, Progress: &p, Line: i18n.Verbatim(end), Remaining: e.pace.remaining()})
	if end == "" {
		longer, err := e.plan.Grow(e.runner.Study)
		if err != nil {
			return false, err
		}
		e.replan(longer)
	}
	return end == "", w.Update(func(m *archive.Manifest) { m.Plan, m.Ended = e.plan, end })
}

// progress calls Decide for how far the run is.
func (e *execution) progress(w *archive.Writer) (p Progress, err error) {
	if e.runner.Decide == nil {
		return p, nil
	}
	run, err := e.runner.Store.Open(w.ID())
	if err != nil {
		return p, i18n.Errorf("runner.reading-run-far", "reading the run so far: %w", err)
	}
	return e.runner.Decide(run)
}
