package study

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// Until says when a run that goes on block by block ends: when nothing is left to
// decide, and in any case at its time or after its blocks, whichever comes first.
// The zero value is a run of exactly the study's blocks.
type Until struct {
	Time      time.Duration `json:"time,omitempty"`      // of measuring; no block is begun that would end later
	Precision float64       `json:"precision,omitempty"` // half the width of the intervals wanted, as a share: 0.02 is ±2 %
	Blocks    int           `json:"blocks,omitempty"`    // at most; 0: as many as there is time for
}

// Sequential reports whether the run goes on block by block.
func (u Until) Sequential() bool { return u != Until{} }

// usualPrecision is the precision at which a quick run of slices ends, unless its blocks end first.
const usualPrecision = 0.02

// WithPrecision returns until the intervals are within ± a share, "2%" or "±2%", with the
// bounds that there are, or else ten minutes.
func (u Until) WithPrecision(text string) (Until, error) {
	share, percent := strings.CutSuffix(strings.TrimPrefix(strings.TrimSpace(text), "±"), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
	if err != nil || !percent || !(x > 0 && x <= 100*mostPrecision) {
		return u, i18n.Errorf("study.until-precision", "expected how narrow intervals are to be, such as ±2%%, up to ±%g%%, got %s", 100*mostPrecision, form.Quote(text))
	}
	u.Precision = x / 100
	if u.Time == 0 && u.Blocks == 0 {
		u.Time = usualUntil
	}
	return u, nil
}

// usualUntil bounds a run that has no other end.
const usualUntil = 10 * time.Minute

// Bounds of what a study may set.
const (
	leastUntil    = time.Second
	mostPrecision = 0.5
)

// untilAt reads when to end. Something must bound the run: claims may stay
// undecided for ever.
func untilAt(at scope) Until {
	f, understood := at.fields("time", "precision", "blocks")
	var u Until
	if v, ok := f["time"]; ok {
		u.Time = v.Duration(leastUntil, maxDuration)
	}
	if v, ok := f["precision"]; ok {
		u.Precision = v.share(mostPrecision)
	}
	if v, ok := f["blocks"]; ok {
		u.Blocks = v.Integer(1, maxBlocks)
	}
	_, time := f["time"]
	_, blocks := f["blocks"]
	if understood && !time && !blocks {
		at.Report(i18n.New("study.until-without-end", "until has neither time nor blocks, so that it may never end"), i18n.New("study.add-field", "add: %s: %s", "time", "10m"))
	}
	return u
}

// Blocks returns how many blocks the plan has.
func (p Plan) Blocks() int {
	n := 0
	for _, t := range p.Trials {
		n = max(n, t.Block+1)
	}
	return n
}

// Grow returns the plan of the study with one more block, the one that [Expand]
// would have made of the same study with a block more: a run that went on is a
// longer run of the same study.
func (p Plan) Grow(s *Study) (Plan, error) {
	block := p.Blocks()
	longer := *s
	longer.Blocks = block + 1
	whole, err := Expand(&longer, p.Seed)
	if err != nil {
		return p, err
	}
	trials := slices.Clone(p.Trials)
	for _, t := range whole.Trials {
		if t.Block == block {
			t.Index = len(trials)
			trials = append(trials, t)
		}
	}
	p.Trials, p.Estimate = trials, whole.Estimate
	return p, nil
}

// Originals is how many of the plan's trials are no repetitions.
func (p *Plan) Originals() (n int) {
	for i := range p.Trials {
		if p.Trials[i].Repeats == nil {
			n++
		}
	}
	return n
}

// MayRepeat reports whether there is room for another repetition: all together are
// at most half of the trials planned, and one in any case.
func (p *Plan) MayRepeat() bool {
	planned := p.Originals()
	return len(p.Trials)-planned < max(1, planned/2)
}

// Repeat returns the plan with a repetition of the trial with the given index at
// the end of its block: the same cell and seed. Trials after it move up by one,
// so that an index remains the order of execution; none of them may have been
// done.
func (p Plan) Repeat(index int) (Plan, PlannedTrial) {
	again := p.Trials[index]
	at := index
	for at < len(p.Trials) && p.Trials[at].Block == again.Block {
		at++
	}
	again.Index, again.Repeats = at, &index
	trials := make([]PlannedTrial, 0, len(p.Trials)+1)
	trials = append(append(append(trials, p.Trials[:at]...), again), p.Trials[at:]...)
	for i := at + 1; i < len(trials); i++ {
		trials[i].Index = i
	}
	p.Trials = trials
	return p, again
}
