package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// supposition is what doubts may have made of the trials of a claim.
//
// What disturbed a trial changed it by anything from nothing to its bound, each trial on its
// own: the ends of an interval lie farthest out where trials are at ends of their bounds, all
// of an arm alike or apart from each other. The speed of a trial's CPUs was read next to it:
// what it made of a subject's cost is anything from nothing to all of it and a quarter more, as
// readings are of moments; of one subject in all trials alike.
type supposition struct {
	source *evidence
	asked  *asking
	doubts []*doubt
	cells  []int // of the claim, that the doubts are about; ascending
	stops  bool  // some of the doubts have bounds of each trial's own
	known  map[inBlock]reach
}

// inBlock is a metric in one block of a cell.
type inBlock struct {
	metric      string
	cell, block int
}

// reach is what the doubts may have made of it.
type reach struct {
	bound bound
	speed float64 // by what it is to be multiplied for the usual speed
	ok    bool    // there is a bound
}

func supposing(source *evidence, asked *asking, doubts []*doubt) *supposition {
	p := &supposition{source: source, asked: asked, doubts: doubts, known: map[inBlock]reach{}}
	for _, d := range doubts {
		for cell := range d.in {
			if asked.cells[cell] && !slices.Contains(p.cells, cell) {
				p.cells = append(p.cells, cell)
			}
		}
		p.stops = p.stops || bounded(d.finding.Name)
	}
	slices.Sort(p.cells)
	return p
}

// mode is where the trials of a cell lie within their bounds.
type mode struct {
	at    place
	speed float64 // how much of what the speed of its CPUs made of them is put right
}

type place int

const (
	measured   place = iota // as they are
	atLow                   // all at the lower end
	atHigh                  // all at the upper end
	apart                   // what is above the median at the upper, what is below it at the lower
	nearer                  // as near to the median as the bounds allow
	anywhere                // each by chance
	anyCorner               // each at either end by chance
	placeCount = anywhere
)

// fewScenarios is up to how many all combinations of modes are tried; of more, so many are
// drawn that each two cells are in each two ends. drawn is how many more have trials anywhere.
const (
	fewScenarios = 250
	drawn        = 100
)

// each tries scenarios as long as more of them are asked for.
func (p *supposition) each(try func(*supposed) (more bool)) {
	modes := p.modes()
	combinations := math.Pow(float64(len(modes)), float64(len(p.cells)))
	few := combinations <= fewScenarios
	r := rand.New(rand.NewPCG(1, uint64(len(p.cells))))
	count := fewScenarios
	if few {
		count = int(combinations)
	}
	for i := range count {
		chosen := map[int]mode{}
		for _, cell := range p.cells {
			if few {
				chosen[cell], i = modes[i%len(modes)], i/len(modes)
			} else {
				chosen[cell] = modes[r.IntN(len(modes))]
			}
		}
		if !try(p.scenario(chosen, 0)) {
			return
		}
	}
	for i := range drawn {
		if !p.stops {
			break
		}
		chosen := map[int]mode{}
		for _, cell := range p.cells {
			chosen[cell] = mode{anywhere + place(i%2), modes[r.IntN(len(modes))].speed}
		}
		if !try(p.scenario(chosen, r.Uint64())) {
			return
		}
	}
}

// modes are those that a cell can be in.
func (p *supposition) modes() (list []mode) {
	speeds := []float64{0}
	if slices.ContainsFunc(p.doubts, (*doubt).scales) {
		speeds = append(speeds, 0.5, 1, 1.25)
		if p.asked.collections {
			speeds = append(speeds, -1)
		}
	}
	for _, speed := range speeds {
		for at := measured; at < placeCount; at++ {
			if p.stops || at == measured {
				list = append(list, mode{at, speed})
			}
		}
	}
	return list
}

// scenario is the evidence with cells in modes; what is drawn is by the seed.
func (p *supposition) scenario(chosen map[int]mode, seed uint64) *supposed {
	return &supposed{evidence: p.source, p: p, chosen: chosen, seed: seed}
}

// reach is what the doubts may have made of a metric in one block of a cell.
func (p *supposition) reach(metric string, cell, block int) reach {
	at := inBlock{metric, cell, block}
	found, seen := p.known[at]
	if !seen {
		found.bound, found.ok = p.bound(metric, cell, block)
		by, ok := p.speed(metric, cell, block)
		found.speed, found.ok = by, found.ok && ok
		p.known[at] = found
	}
	return found
}

// bound is how much all doubts together, except for the speed, may have changed a metric in
// one block of a cell. It is not ok where there is no bound.
func (p *supposition) bound(metric string, cell, block int) (b bound, ok bool) {
	b = unchanged
	for _, d := range p.doubts {
		if _, has := d.in[cell][block]; !has || d.scales() {
			continue
		}
		disturbed := p.source.builders[cell].disturbed[block]
		if disturbed == nil {
			return b, false
		}
		one, ok := disturbed.bound(d.finding.Name, metric)
		if !ok {
			return b, false
		}
		b.low, b.high = b.low*one.low, b.high*one.high
	}
	return b, true
}

// speed is the factor that takes a metric in one block of a cell to the usual speed.
func (p *supposition) speed(metric string, cell, block int) (by float64, ok bool) {
	for _, d := range p.doubts {
		slower, has := d.in[cell][block]
		if !has || !d.scales() {
			continue
		}
		return p.source.bySpeed(metric, cell, block, slower)
	}
	return 1, true
}

// supposed is the evidence if some trials were not there, or were not disturbed as they were.
type supposed struct {
	*evidence
	without map[int]map[int]bool // by cell and block
	moved   map[int]map[int]bool // by cell and block: as if they had been like the cell's others …
	by      float64              // … and so many standard errors of what these differ by beyond that
	p       *supposition         // nil: nothing else is changed
	chosen  map[int]mode
	seed    uint64
	asked   *asking // what was asked for; nil: it isn't noted
}

// asking is what a claim asks for.
type asking struct {
	cells       map[int]bool // of which there was a value asked for
	indices     bool         // Sobol indices: these rest on all cells, and aren't there if a figure of one is missing
	collections bool         // what a collector did
}

// askedFor is what a claim asks for.
func askedFor(c *claim.Claim, source *evidence, options claim.Options) *asking {
	a := &asking{cells: map[int]bool{}}
	claim.Evaluate(c, &supposed{evidence: source, asked: a}, options)
	return a
}

func (s *supposed) Index(of claim.Share) (stats.Interval, i18n.Message) {
	if s.asked != nil {
		s.asked.indices = true
	}
	return s.evidence.Index(of)
}

func (s *supposed) Values(metric string, cell int) ([]float64, i18n.Message) {
	cell = s.of(metric, cell)
	if s.asked != nil {
		s.asked.cells[cell] = true
		s.asked.collections = s.asked.collections || strings.HasPrefix(metric, "gc.")
	}
	values, missing := s.evidence.Values(metric, cell)
	return s.change(metric, cell, values), missing
}

func (s *supposed) AtLeast(metric string, cell int) []float64 {
	cell = s.of(metric, cell)
	return s.change(metric, cell, s.evidence.AtLeast(metric, cell))
}

func (s *supposed) Failed(metric string, cell int) []bool {
	cell = s.of(metric, cell)
	failed := s.evidence.Failed(metric, cell)
	for i, block := range s.blocks {
		if s.leaves(cell, block) {
			failed[i] = false
		}
	}
	return failed
}

// leaves reports whether a block is left out whatever the metric.
func (s *supposed) leaves(cell, block int) bool {
	if s.without[cell][block] {
		return true
	}
	if s.p == nil {
		return false
	}
	for _, d := range s.p.doubts {
		if _, has := d.in[cell][block]; has && !d.scales() && !bounded(d.finding.Name) {
			return true
		}
	}
	return false
}

// change takes values out, or moves them by as much as the doubts may have changed them.
func (s *supposed) change(metric string, cell int, values []float64) []float64 {
	var middle float64
	var r *rand.Rand
	in := s.chosen[cell]
	if in.at == apart || in.at == nearer {
		middle, _ = stats.MedianPresent(values)
	}
	if in.at >= anywhere {
		r = rand.New(rand.NewPCG(s.seed, uint64(cell)))
	}
	onto := s.onto(cell, values)
	for i, block := range s.blocks {
		switch {
		case i >= len(values):
		case s.moved[cell][block]:
			values[i] *= onto
		case s.without[cell][block]:
			values[i] = math.NaN()
		case metric == errorsMetric && values[i] == 0 && !s.leaves(cell, block):
			// being disturbed makes errors, and takes none away
		case s.p != nil:
			reach := s.p.reach(metric, cell, block)
			if !reach.ok {
				values[i] = math.NaN()
				continue
			}
			values[i] = in.at.move(values[i], reach.bound, middle, r)
			values[i] *= math.Pow(reach.speed, in.speed)
		}
	}
	return values
}

// onto is by what the moved values of a cell are to be multiplied to be like its others: by what
// the two differ by on average, and as many standard errors of that as are to be tried.
func (s *supposed) onto(cell int, values []float64) float64 {
	var logs [2][]float64
	for i, block := range s.blocks {
		if i >= len(values) || !(values[i] > 0) || math.IsInf(values[i], 1) {
			continue
		}
		level := 0
		if s.moved[cell][block] {
			level = 1
		}
		logs[level] = append(logs[level], math.Log(values[i]))
	}
	var means [2]float64
	squares, share := 0.0, 0.0
	for level, list := range logs {
		if len(list) == 0 {
			return math.NaN()
		}
		for _, x := range list {
			means[level] += x / float64(len(list))
		}
		for _, x := range list {
			squares += (x - means[level]) * (x - means[level])
		}
		share += 1 / float64(len(list))
	}
	within := float64(max(len(logs[0])+len(logs[1])-2, 1))
	return math.Exp(means[0] - means[1] + s.by*math.Sqrt(squares/within*share))
}

// move puts a value where it is to lie within its bound.
func (at place) move(value float64, b bound, middle float64, r *rand.Rand) float64 {
	low, high := value*b.low, value*b.high
	switch {
	case at == atLow, at == apart && value < middle:
		return low
	case at == atHigh, at == apart:
		return high
	case at == nearer:
		return min(max(middle, low), high)
	case at == anywhere:
		return low + (high-low)*r.Float64()
	case at == anyCorner && r.IntN(2) == 0:
		return low
	case at == anyCorner:
		return high
	}
	return value
}

// bySpeed is by what a metric is to be multiplied for the usual speed, of a trial on a machine
// that was so many times slower: CPU time, and what a closed loop keeps busy all the time, by
// just that. Under a rate as much is served as long as CPUs are not full, and response times
// change by more, as queues do: those of an M/G/1 queue, in which work takes 1/f of its time,
// by (1 − ρ)/(f²·(1 − ρ/f)) (Pollaczek and Khinchin). What is allocated by the second rather than
// by the request is more of a request's the longer that takes, at most all of it. What Go's collector
// did is its own matter ([collectedBySpeed]).
func (e *evidence) bySpeed(metric string, cell, block int, slower float64) (by float64, known bool) {
	closed := e.builders[cell].mode == profile.Closed
	name, _, _ := strings.Cut(metric, ".")
	allocs := metric == "allocs" || metric == "alloc.bytes"
	times := name == "response" || name == "service" || name == "first_byte"
	if name == "gc" {
		return e.collectedBySpeed(metric, cell, block, slower)
	}
	switch {
	case metric == "cpu", metric == "cpu.user", metric == "cpu.sys", closed && times:
		return 1 / slower, true
	case metric == "executable", metric == "size", metric == settlingMetric:
		return 1, true
	case closed && metric == "throughput":
		return slower, true
	case closed && allocs:
		return 1 / slower, true
	}
	busy, ok := e.builders[cell].disturbed[block].busyShare()
	if closed || !ok || busy > mostBusy || busy/slower > mostBusy {
		return 0, false
	}
	switch {
	case times:
		return (1 - busy) / (slower * slower * (1 - busy/slower)), true
	case metric == "throughput", allocs:
		return 1, true
	}
	return 0, false
}
