package runner

import (
	"context"
	"fmt"
	"time"

	"dyno/lab/archive"
)

// Progress says how far a run is towards what it is to find out.
type Progress struct {
	Goals []Goal `json:"goals"` // none: the run goes on until its time is up
}

// Goal is one thing to find out: a claim to be decided, intervals to be narrow.
type Goal struct {
	Name   string `json:"name"`
	Done   bool   `json:"done"`
	Text   string `json:"text"`             // where it stands, in one line
	Blocks int    `json:"blocks,omitempty"` // more that it will take, estimated; 0: not known
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

// blocks estimates how many more blocks all goals take; false if nobody knows.
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

// goOn plans one more block, or says that the run ends here. It is an error if
// nothing has come of the last blocks: time would fill with trials that fail at
// once. Stopping by what
// was found is fair only to intervals that hold at any stopping time; package
// analysis takes such for a run with [archive.Manifest.Until].
func (r *Runner) goOn(ctx context.Context, w *archive.Writer) (more bool, err error) {
	if !r.Study.Until.Sequential() || ctx.Err() != nil {
		return false, nil
	}
	if r.failing >= leastBlocks*len(r.Plan.Cells) {
		return false, fmt.Errorf("the last %d trials have failed one after the other, and so would more", r.failing)
	}
	p, err := r.progress(w)
	if err != nil {
		return false, err
	}
	end := r.end(&p)
	r.tell(Event{Kind: Assessed, Progress: &p, Line: end, Remaining: r.remaining()})
	if end == "" {
		if r.Plan, err = r.Plan.Grow(r.Study); err != nil {
			return false, err
		}
	}
	return end == "", w.Update(func(m *archive.Manifest) { m.Plan, m.Ended = r.Plan, end })
}

// progress asks how far the run is.
func (r *Runner) progress(w *archive.Writer) (p Progress, err error) {
	if r.Decide == nil {
		return p, nil
	}
	run, err := r.Store.Open(w.ID())
	if err != nil {
		return p, fmt.Errorf("reading the run so far: %w", err)
	}
	return r.Decide(run)
}

// end says why the run ends now; empty if it goes on. It also estimates what is
// left.
func (r *Runner) end(p *Progress) string {
	u, done := r.Study.Until, r.Plan.Blocks()
	taken := time.Since(r.measuring)
	each := taken / time.Duration(done)
	r.ahead, r.estimated = 0, time.Now()
	switch {
	case p.Done() && done >= leastBlocks:
		return EndDecided
	case u.Blocks > 0 && done >= u.Blocks:
		return EndBlocks
	case u.Time > 0 && taken+each > u.Time:
		return EndTime
	}
	if u.Time > 0 {
		r.ahead = u.Time - taken
	}
	if n, known := p.blocks(); known {
		r.ahead = shorter(r.ahead, time.Duration(n)*each)
	}
	if u.Blocks > 0 {
		r.ahead = shorter(r.ahead, time.Duration(u.Blocks-done)*each)
	}
	return ""
}

// shorter returns the shorter of two durations, of which the first may be unknown.
func shorter(known, d time.Duration) time.Duration {
	if known == 0 {
		return d
	}
	return min(known, d)
}
