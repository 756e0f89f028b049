package stats

import (
	"fmt"
	"math"

	"dyno.example/internal/i18n"
)

// Turn is what one subject did in its slice of a round.
type Turn struct {
	Spent    float64 // what its requests cost together: ns of CPU time, or ns that went by
	Requests float64 // 0: the slice is void, and so is its round for this subject's pairs
	Speed    float64 // ns that a fixed piece of work took next to the slice; 0: not known
}

// Start is one start of two subjects that lived together: A[i] and B[i] are their turns in
// the same round, rounds in the order of time.
type Start struct{ A, B []Turn }

// Sliced is how many times A's cost of a request is of B's, from subjects that took turns
// in slices, and what the result's uncertainty is made of.
type Sliced struct {
	// Ratio is the estimate. Its interval has both levels in it: it is Student's over
	// starts, and never narrower than what their rounds scatter by. N counts starts.
	Ratio Interval `json:"ratio"`
	// Rounds has the rounds of these very starts only: it holds for them, not for the
	// subjects, and would become narrower with more rounds. N counts rounds.
	Rounds    Interval  `json:"rounds"`
	Between   float64   `json:"between"` // standard deviation of the log ratio among starts, less what rounds make of it
	Within    float64   `json:"within"`  // of one round
	Share     float64   `json:"share"`   // of the estimate's variance: what starts differ by, from 0 to 1
	Freedom   float64   `json:"freedom"` // degrees of freedom of Ratio
	PerStart  []float64 `json:"per_start"`
	Covariate Covariate `json:"covariate"`

	half float64 // of the interval of the log ratio
}

// SlicedRatio estimates A's cost of a request as a multiple of B's.
//
// Within a start it is the quotient of sums: all that A spent on all of its requests, by
// the same of B, over the rounds in which both have a turn. A mean or median of the
// slices' own ratios would be another quantity where one subject's slices scatter more
// than the other's, as with a garbage collection in every fifth; and leaving out slices
// that look odd would leave the collections out. What changes the speed of the machine for
// longer than a round is in both sums alike, and cancels.
//
// Starts are the unit: a start has a plateau of its own (memory layout, placement) that no
// number of rounds averages away (Kalibera and Jones, "Rigorous Benchmarking in Reasonable
// Time", ISMM 2013). So the interval is Student's t over the log ratios of starts. Few
// starts may happen to be alike: it is never narrower than the one over their rounds. One
// start has an estimate and no interval. The speed of the machine is used as [Covariate]
// says.
func SlicedRatio(starts []Start, level float64) Sliced {
	s := measureSlices(starts)
	s.conclude(s.spread(), float64(s.Ratio.N-1), level)
	return s
}

// measureSlices is everything but the intervals of the starts that have rounds.
func measureSlices(starts []Start) Sliced {
	paired := make([]rounds, 0, len(starts))
	for i := range starts {
		if r := pairRounds(&starts[i]); len(r.residuals) >= 2 {
			paired = append(paired, r)
		}
	}
	s := Sliced{Covariate: control(paired)}
	within, count := 0.0, 0
	for i := range paired {
		r := &paired[i]
		s.PerStart = append(s.PerStart, r.log)
		v := r.variance()
		within += v * float64(len(r.residuals))
		count += len(r.residuals)
		s.Rounds.Estimate += v // of the means of starts, until conclude
	}
	s.Ratio.N, s.Rounds.N = len(paired), count
	if count > 0 {
		s.Within = math.Sqrt(within / float64(len(paired)))
	}
	return s
}

// spread is the variance of starts about their mean.
func (s *Sliced) spread() float64 {
	if len(s.PerStart) < 2 {
		return 0
	}
	_, stderr := meanAndError(s.PerStart)
	return stderr * stderr * float64(len(s.PerStart))
}

// conclude makes the intervals, from what starts differ by and how well that is known.
func (s *Sliced) conclude(spread, freedom, level float64) {
	n := float64(len(s.PerStart))
	if n == 0 {
		note := i18n.New("stats.no-round-both", "no start has two rounds in which both were measured")
		s.Ratio.Note, s.Rounds.Note = note, note
		return
	}
	estimate := mean(s.PerStart)
	rounds := s.Rounds.Estimate / (n * n) // variance of the mean that is due to rounds
	half := math.Sqrt(rounds) * studentQuantile(max(float64(s.Rounds.N)-n, 1), 1-(1-level)/2)
	s.Rounds = ratioInterval(s.Rounds.N, estimate, half, level)
	if n < 2 {
		s.Ratio = pointRatio(1, estimate, i18n.New("stats.need-starts-interval", "need ≥ 2 starts for an interval: one shows no other's plateau"))
		return
	}
	s.Between = math.Sqrt(max(s.spread()-rounds*n, 0))
	s.Freedom = freedom
	s.half = max(studentQuantile(freedom, 1-(1-level)/2)*math.Sqrt(spread/n), half)
	s.Ratio = ratioInterval(len(s.PerStart), estimate, s.half, level)
	if spread > 0 {
		s.Share = max(0, 1-rounds/(spread/n))
	}
	if n < fewPairs {
		s.Ratio.Note = i18n.New("stats.few-starts", "fewer than %d starts: right only if what they differ by is log-normal", fewPairs)
	}
}

// rounds are those of one start in which both subjects have a turn.
type rounds struct {
	log       float64   // of the quotient of sums
	residuals []float64 // what each round adds to log, times their number: they sum to zero
	speeds    []float64 // log of how much slower the machine was in A's turn than in B's; nil: not known
}

// pairRounds sums up. It panics if A and B have not as many turns.
func pairRounds(s *Start) (r rounds) {
	if len(s.A) != len(s.B) {
		panic(fmt.Sprintf("stats: %d turns paired with %d", len(s.A), len(s.B)))
	}
	var kept []int
	var a, b Turn // sums
	known := true
	for i := range s.A {
		x, y := s.A[i], s.B[i]
		if x.Requests <= 0 || y.Requests <= 0 || x.Spent <= 0 || y.Spent <= 0 {
			continue
		}
		kept = append(kept, i)
		a.Spent, a.Requests = a.Spent+x.Spent, a.Requests+x.Requests
		b.Spent, b.Requests = b.Spent+y.Spent, b.Requests+y.Requests
		known = known && x.Speed > 0 && y.Speed > 0
	}
	n := float64(len(kept))
	if n == 0 {
		return r
	}
	costA, costB := a.Spent/a.Requests, b.Spent/b.Requests
	r.log = math.Log(costA / costB)
	for _, i := range kept {
		x, y := s.A[i], s.B[i]
		// The delta method: d log(ΣS/ΣN) is (S − cost·N)/ΣS.
		r.residuals = append(r.residuals, n*((x.Spent-costA*x.Requests)/a.Spent-(y.Spent-costB*y.Requests)/b.Spent))
		if known {
			r.speeds = append(r.speeds, math.Log(x.Speed/y.Speed))
		}
	}
	return r
}

// variance is that of log, as far as rounds scatter.
func (r *rounds) variance() float64 {
	sum := 0.0
	for _, d := range r.residuals {
		sum += d * d
	}
	n := float64(len(r.residuals))
	return sum / (n - 1) / n
}

// SlicedPlan is what an interval takes.
type SlicedPlan struct {
	Starts int // altogether, with as many rounds each; 0: more than can be computed
	// Rounds is how many rounds each of the starts that there are would need; 0 if no
	// number of rounds is enough, because starts differ too much.
	Rounds int
}

// Reach says what it takes for an interval of ± half (0.02 is 2 %), if starts and rounds
// go on to differ as they did. Each start has so many rounds.
func (s *Sliced) Reach(half float64, rounds int) (p SlicedPlan) {
	n := len(s.PerStart)
	if n < 2 || rounds < 1 || half <= 0 {
		return p
	}
	wanted, level := math.Log1p(half), s.Ratio.Level
	wide := func(starts int, rounds float64) float64 {
		variance := (s.Between*s.Between + s.Within*s.Within/rounds) / float64(starts)
		// As many more starts are as many more degrees of freedom.
		freedom := s.Freedom + float64(starts-n)
		return studentQuantile(max(freedom, 1), 1-(1-level)/2) * math.Sqrt(variance)
	}
	if enough := func(starts int) bool { return starts >= 2 && wide(starts, float64(rounds)) <= wanted }; enough(maxRepetitions) {
		p.Starts = smallest(enough)
	}
	if enough := func(rounds int) bool { return wide(n, float64(rounds)) <= wanted }; enough(maxRepetitions) {
		p.Rounds = smallest(enough)
	}
	return p
}
