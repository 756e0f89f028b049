package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno.example/internal/i18n"
)

// Spending plans the looks at a comparison that may end early: after each block
// from First to Last there is an interval, and the chance that any of them
// misses the true ratio is 1−level. So the study may stop at any of these looks
// because of what it sees there. It must not go on beyond Last.
//
// The error is spent as Lan and DeMets propose ("Discrete Sequential Boundaries
// for Clinical Trials", Biometrika 70, 1983), by the function that resembles
// O'Brien and Fleming's boundary: up to the share t of the blocks,
// 2 − 2Φ(z/√t), z being the normal quantile of the level. Little is spent early:
// only large differences end a study soon, and the last interval is 1.14 times as
// wide as that of a study without looks, which is what looking after every block
// costs: with looks after 5 to 12 blocks as with 5 to 50. The intervals are the
// repeated confidence intervals of Jennison and Turnbull ("Interim Analyses: The
// Repeated Confidence Interval Approach", Journal of the Royal Statistical
// Society B 51, 1989).
//
// The variance is unknown, and the looks share their blocks. The factors by
// which the standard error is multiplied therefore come from simulated studies
// with normal noise, always the same ones: 200,000 of up to 20 blocks, fewer of
// more, and 20,000 of 200 and more. The error that is really spent is then known
// to 0.05 points of 5 %, or to 0.15 of long ones. A look so early that it may
// spend less than one of these studies has no interval.
//
// Values are immutable and safe for concurrent use.
type Spending struct {
	First, Last int // blocks at the first and at the last look
	Level       float64
	factors     []float64 // of the standard error, by look
}

// Studies that are simulated to find the factors: of so many blocks altogether,
// within bounds.
const (
	spendingBlocks = 4_000_000
	fewestStudies  = 20_000
	mostStudies    = 200_000
)

// NewSpending plans looks after each block from first to last, which are made at
// least 2 and first. It takes some 100 ms, and of more than 200 blocks as much for each 200.
func NewSpending(first, last int, level float64) *Spending {
	first = max(first, 2)
	s := &Spending{First: first, Last: max(first, last), Level: level}
	s.factors = make([]float64, s.Looks())
	paths := newPaths(min(max(spendingBlocks/s.Last, fewestStudies), mostStudies), first-1)
	spent := 0.0
	for look := range s.factors {
		statistics := paths.next()
		allowed := obrienFleming(float64(first+look)/float64(s.Last), 1-level)
		// No limit is below that of a single look, so what is well below needs no
		// sorting.
		floor := 0.9 * studentQuantile(float64(first+look-1), 1-(1-level)/2)
		s.factors[look] = paths.leave(statistics, allowed-spent, floor)
		if !math.IsInf(s.factors[look], 1) {
			spent = allowed
		}
	}
	return s
}

// Looks is how often the comparison may be looked at.
func (s *Spending) Looks() int { return s.Last - s.First + 1 }

// Ratio estimates a/b from the pairs of the blocks so far, as [Ratio] does, with
// the interval of the look after as many blocks as there are pairs. There is no
// interval before the first look nor after the last.
func (s *Spending) Ratio(a, b []float64) Interval {
	logs := logRatios(a, b)
	if len(logs) < 2 {
		return fewLogs(logs)
	}
	n := len(logs)
	mean, stderr := pairedError(a, b, logs)
	switch {
	case n < s.First:
		return pointRatio(n, mean, i18n.New("stats.first-look-blocks", "the first look is after %d blocks", s.First))
	case n > s.Last:
		return pointRatio(n, mean, i18n.New("stats.last-look-blocks", "the last look was after %d blocks", s.Last))
	}
	factor := s.Factor(n)
	if math.IsInf(factor, 1) {
		return pointRatio(n, mean, i18n.New("stats.too-early", "too early of %d blocks for an interval", s.Last))
	}
	return ratioInterval(n, mean, factor*stderr, s.Level)
}

// Factor is half the width of the interval after so many blocks, from First to
// Last, in standard errors of the mean logarithm; infinite where there is none.
func (s *Spending) Factor(blocks int) float64 { return s.factors[blocks-s.First] }

// obrienFleming is the error spent up to a share of the information.
func obrienFleming(share, alpha float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-alpha)
	return math.Erfc(z / math.Sqrt(share) / math.Sqrt2)
}

// paths are simulated studies: the sums from which their t statistics follow.
type paths struct {
	random       *rand.Rand
	sum, squares []float64
	out          []bool // the interval of an earlier look missed already
	n            int    // blocks so far
	signed       bool   // only what is above misses
}

func newPaths(studies, blocks int) *paths {
	p := &paths{
		random: rand.New(rand.NewPCG(0x6c6f6f6b73, 1)),
		sum:    make([]float64, studies), squares: make([]float64, studies), out: make([]bool, studies),
	}
	for range blocks {
		p.block()
	}
	return p
}

// block adds one to each study.
func (p *paths) block() {
	p.n++
	for i := range p.sum {
		x := p.random.NormFloat64()
		p.sum[i] += x
		p.squares[i] += x * x
	}
}

// next adds a block and returns |t| of each study, or t if only one side counts.
func (p *paths) next() []float64 {
	p.block()
	n := float64(p.n)
	statistics := make([]float64, len(p.sum))
	for i := range statistics {
		mean := p.sum[i] / n
		variance := (p.squares[i] - n*mean*mean) / (n - 1)
		if statistics[i] = mean / math.Sqrt(variance/n); !p.signed {
			statistics[i] = math.Abs(statistics[i])
		}
	}
	return statistics
}

// leave takes the share with the largest statistics out, of those that are
// still in, and returns the limit that does so: infinite if the share is less
// than one study.
func (p *paths) leave(statistics []float64, share, floor float64) (limit float64) {
	count := int(math.Round(share * float64(len(statistics))))
	if count == 0 {
		return math.Inf(1)
	}
	var in []float64
	for i, t := range statistics {
		if !p.out[i] && t > floor {
			in = append(in, t)
		}
	}
	slices.Sort(in)
	limit = in[len(in)-count]
	for i, t := range statistics {
		p.out[i] = p.out[i] || t >= limit
	}
	return limit
}
