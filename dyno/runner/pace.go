package runner

import (
	"time"

	"dyno.example/dyno/study"
)

// pace is how far a run is, and how long it has taken and will take.
type pace struct {
	until     study.Until
	estimate  time.Duration // of the whole plan, before anything is measured
	total     int           // trials planned
	done      int           // trials finished
	began     time.Time     // when the first trial did
	ahead     time.Duration // what is left of a run that goes on block by block, estimated …
	estimated time.Time     // … at this instant
}

func newPace(r *Runner) *pace {
	return &pace{until: r.Study.Until, estimate: r.Plan.Estimate, total: len(r.Plan.Trials)}
}

// begin notes that the first trial does.
func (p *pace) begin() {
	p.began = time.Now()
	p.ahead, p.estimated = p.until.Time, p.began
}

// taken is the time since the first trial began.
func (p *pace) taken() time.Duration { return time.Since(p.began) }

// remaining estimates the time to the end from the trials done so far.
func (p *pace) remaining() time.Duration {
	if p.until.Sequential() {
		return max(0, p.ahead-time.Since(p.estimated))
	}
	if p.done == 0 {
		return p.estimate
	}
	return p.taken() / time.Duration(p.done) * time.Duration(p.total-p.done)
}

// end says why a run that goes on block by block ends after so many of them; empty
// if it goes on. It also estimates what is left.
func (p *pace) end(goals *Progress, blocks int) string {
	taken := p.taken()
	each := taken / time.Duration(blocks)
	p.ahead, p.estimated = 0, time.Now()
	switch {
	case goals.Done() && blocks >= leastBlocks:
		return EndDecided
	case p.until.Blocks > 0 && blocks >= p.until.Blocks:
		return EndBlocks
	case p.until.Time > 0 && taken+each > p.until.Time:
		return EndTime
	}
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
