package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
	"dyno.example/internal/i18n"
)

// truths are what is claimed of a ratio, and what it is.
var truths = []struct {
	name  string
	claim float64 // published ratio
	truth float64
	noise float64 // of trials, on the log scale
}{
	{"nothing where 0.69 is claimed", 0.69, 1, 0.02},
	{"nothing where 1.5 is claimed", 1.5, 1, 0.02},
	{"1.1 as claimed", 1.1, 1.1, 0.02},
	{"1.2 where 1.1 is claimed", 1.1, 1.2, 0.02},
	{"1.1 where 1.5 is claimed", 1.5, 1.1, 0.02},
	{"0.9 where 1.5 is claimed", 1.5, 0.9, 0.02},
	{"1.0201 as claimed, noise 0.2 %", 1.0201, 1.0201, 0.002},
	{"0.98 as claimed, noise 0.2 %", 0.98, 0.98, 0.002},
	{"1.1 as claimed, noise 40 %", 1.1, 1.1, 0.4},
}

// verdicts counts what claims of one part and of nine come to: the verdict of one part each, and how often any of the parts is called the
// opposite or refuted.
func (o *options) verdicts(r *Record) {
	for _, truth := range truths {
		for _, blocks := range append([]int{4}, o.blocks...) {
			for _, parts := range []int{1, 9} {
				o.progress("verdicts: %s, %d blocks, %d parts", truth.name, blocks, parts)
				o.countVerdicts(r, truth.name, truth.claim, truth.truth, truth.noise, blocks, parts)
			}
		}
	}
}

func (o *options) countVerdicts(r *Record, name string, claimed, truth, noise float64, blocks, parts int) {
	random := rand.New(rand.NewPCG(o.seed, uint64(blocks*100+parts)))
	op := ">="
	if claimed < 1 {
		op = "<="
	}
	c := claim.Claim{ID: "drawn"}
	for part := range parts {
		c.Expressions = append(c.Expressions, fmt.Sprintf("throughput[a%d] / throughput[b%d] %s %v published %v", part, part, op, claimed, claimed))
	}
	first := map[claim.Verdict]int{}
	var opposite, refuted statstest.Rate
	for range o.studies {
		out := claim.Evaluate(&c, drawStudy(random, parts, blocks, truth, noise), claim.Options{})
		first[out.Parts[0].Verdict]++
		any := map[bool]bool{}
		wrong := false
		for _, p := range out.Parts {
			any[p.Verdict == claim.Opposite] = true
			wrong = wrong || p.Verdict.Refutes()
		}
		opposite.Add(any[true])
		refuted.Add(wrong)
	}
	of := fmt.Sprintf("%d parts", parts)
	for _, v := range claim.Verdicts() {
		if n := first[v]; n > 0 {
			r.add(Result{What: "verdicts", Series: name, Figure: "a part of " + of + ": " + string(v), Blocks: blocks, Effect: truth, Happened: statstest.Rate{Count: n, Of: o.studies}})
		}
	}
	result := Result{What: "verdicts", Series: name, Figure: "any of " + of + ": opposite", Blocks: blocks, Effect: truth, Happened: opposite}
	if truth >= 1 == (claimed >= 1) || truth == 1 {
		result.Wanted = "≤ 2.5 %"
	}
	r.add(result)
	result.Figure, result.Happened, result.Wanted = "any of "+of+": size refuted, no effect or opposite", refuted, ""
	if truth == claimed {
		result.Wanted = "≤ 2.5 %"
	}
	r.add(result)
}

// drawnStudy is one of pairs of subjects, a claim's source.
type drawnStudy struct {
	space  *claim.Space
	values [][]float64 // by cell
}

func drawStudy(r *rand.Rand, parts, blocks int, ratio, noise float64) *drawnStudy {
	s := &drawnStudy{}
	var cells []claim.Cell
	for part := range parts {
		for i, subject := range []string{"a", "b"} {
			cells = append(cells, claim.Cell{Index: len(cells), Subject: fmt.Sprintf("%s%d", subject, part), Load: "l"})
			values := make([]float64, blocks)
			for k := range values {
				values[k] = math.Pow(ratio, float64(1-i)) * math.Exp(noise*r.NormFloat64())
			}
			s.values = append(s.values, values)
		}
	}
	s.space = claim.SpaceOf([]claim.Metric{{Name: "throughput", Unit: "req/s"}}, cells)
	return s
}

func (s *drawnStudy) Space() *claim.Space { return s.space }
func (s *drawnStudy) Blocks() int         { return len(s.values[0]) }
func (s *drawnStudy) Values(_ string, cell int) ([]float64, i18n.Message) {
	return s.values[cell], i18n.Message{}
}
func (s *drawnStudy) AtLeast(string, int) []float64            { return nil }
func (s *drawnStudy) Failed(string, int) []bool                { return nil }
func (s *drawnStudy) Noise(string, int) (stats.Interval, bool) { return stats.Interval{}, false }

func (s *drawnStudy) Index(claim.Share) (stats.Interval, i18n.Message) {
	return stats.Interval{}, i18n.Verbatim("it has no samples")
}
