package runner

import (
	"time"

	"dyno.example/dyno/study"
)

// pace is how far a run has come, how long it has taken, and how long it will.
type pace struct {
	until     study.Until
	estimate  time.Duration // of the whole plan, before anything is measured
	foreseen  study.Ahead   // of a run that goes on block by block
	total     int           // trials planned
	done      int           // trials finished
	blocks    int           // blocks finished, of a run that goes on block by block …
	before    int           // … trials finished in them …
	each      time.Duration // … and what one of them took on average
	ended     bool          // no block follows
	began     time.Time     // when the first trial did
	ahead     time.Duration // what is left of a run that goes on block by block, estimated …
	estimated time.Time     // … at this instant
}

func newPace(r *Runner) *pace {
	return &pace{until: r.Study.Until, estimate: r.Plan.Estimate, foreseen: r.Plan.Ahead, total: len(r.Plan.Trials)}
}

// begin notes that the first trial does.
func (p *pace) begin() {
	p.began = time.Now()
	p.ahead, p.estimated = time.Duration(p.foreseen.Most)*p.foreseen.Block, p.began
	if p.until.Time > 0 {
		p.ahead = shorter(p.ahead, p.until.Time)
	}
}

// taken is the time since the first trial began.
func (p *pace) taken() time.Duration { return time.Since(p.began) }

// remaining estimates the time to the end from the trials done so far. It is not 0 before
// the end.
func (p *pace) remaining() time.Duration {
	if p.until.Sequential() {
		return p.remainingBlocks()
	}
	if p.done == 0 {
		return p.estimate
	}
	return p.taken() / time.Duration(p.done) * time.Duration(p.total-p.done)
}

// remainingBlocks is the time last estimated, less what has passed since; but at least what
// is left of this block, plus one more block if another may follow.
func (p *pace) remainingBlocks() time.Duration {
	if p.ended {
		return 0
	}
	each := p.foreseen.Block
	if p.blocks > 0 {
		each = p.each
	}
	least := time.Duration(0)
	if planned := p.total - p.before; planned > 0 {
		least = time.Duration(float64(each) * float64(p.total-p.done) / float64(planned))
	}
	bounded := p.until.Blocks > 0 && p.blocks+1 >= p.until.Blocks
	late := p.until.Time > 0 && p.taken()+least+each > p.until.Time
	if !bounded && !late {
		least += each
	}
	return max(least, p.ahead-time.Since(p.estimated))
}

// end says why a run that goes on block by block ends after so many of them; empty
// if it goes on. It also estimates what is left.
func (p *pace) end(goals *Progress, blocks int) string {
	taken := p.taken()
	each := taken / time.Duration(blocks)
	p.ahead, p.estimated = 0, time.Now()
	p.blocks, p.before, p.each, p.ended = blocks, p.done, each, true
	switch {
	case goals.Done() && blocks >= leastBlocks:
		return EndDecided
	case p.until.Blocks > 0 && blocks >= p.until.Blocks:
		return EndBlocks
	case p.until.Time > 0 && taken+each > p.until.Time:
		return EndTime
	}
	p.ended = false
	if p.until.Time > 0 {
		p.ahead = p.until.Time - taken
	}
	if n, known := goals.blocks(); known {
		p.ahead = shorter(p.ahead, time.Duration(n)*each)
	}
	if p.until.Blocks > 0 {
		p.ahead = shorter(p.ahead, time.Duration(p.until.Blocks-blocks)*each)
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
