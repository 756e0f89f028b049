//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// studiesDrawn is how many studies are made up for each case.
const studiesDrawn = 2000

// judged is a claim about a and b, of whom it is known how they compare.
type judged struct {
	name, injected string
	claim          claim.Claim
	blocks         int
	noise          float64 // deviation of ln(value) from trial to trial
	ratio          float64 // of a to b
	slowed         float64 // share of a's starts that are slower
	slower         float64 // by this factor
	dial           map[string]float64
	falsehoods     []claim.Verdict
	rate           float64 // how often one of them may be said
}

func verdictCases() (cases []Case) {
	confirms := []claim.Verdict{claim.AsPublished, claim.AtLeast, claim.Confirmed}
	refutes := []claim.Verdict{claim.SizeRefuted, claim.NoEffect, claim.Opposite}
	one := func(expression string) claim.Claim {
		return claim.Claim{ID: "c", Expressions: []string{expression}}
	}
	nine := claim.Claim{ID: "c", Expressions: slices.Repeat([]string{"throughput[a] > throughput[b]"}, 9)}
	for _, j := range []judged{
		{name: "a-third-less-of-nothing", injected: "no effect, 31 % less are claimed, 4 blocks with 2 % noise", claim: one("throughput[a] / throughput[b] <= 0.69 published 0.69"), blocks: 4, noise: 0.02, ratio: 1, falsehoods: append(slices.Clone(confirms), claim.Opposite), rate: 0.025},
		{name: "as-published", injected: "2.3 times, as is claimed", claim: one("throughput[a] / throughput[b] >= 2.3 published 2.3"), blocks: 8, noise: 0.03, ratio: 2.3, falsehoods: append(slices.Clone(refutes), claim.Direction), rate: 0.05},
		{name: "larger", injected: "3 times where 2.3 are claimed", claim: one("throughput[a] / throughput[b] >= 2.3 published 2.3"), blocks: 8, noise: 0.03, ratio: 3, falsehoods: append(slices.Clone(refutes), claim.Direction, claim.AsPublished), rate: 0.025},
		{name: "smaller", injected: "1.3 times where 2.3 are claimed", claim: one("throughput[a] / throughput[b] >= 2.3 published 2.3"), blocks: 8, noise: 0.03, ratio: 1.3, falsehoods: append(slices.Clone(confirms), claim.Direction, claim.Opposite, claim.NoEffect), rate: 0.025},
		{name: "far-too-small", injected: "1.9 times where 256 are claimed", claim: one("throughput[a] / throughput[b] >= 256"), blocks: 6, noise: 0.02, ratio: 1.9, falsehoods: append(slices.Clone(confirms), claim.Direction, claim.Undecided), rate: 0.025},
		{name: "below-a-range", injected: "1.05 times where 1.5 to 2 are claimed", claim: one("1.5 <= throughput[a] / throughput[b] <= 2"), blocks: 8, noise: 0.02, ratio: 1.05, falsehoods: append(slices.Clone(confirms), claim.Direction), rate: 0.025},
		{name: "beyond-a-range", injected: "3 times where 1.5 to 2 are claimed", claim: one("1.5 <= throughput[a] / throughput[b] <= 2"), blocks: 8, noise: 0.02, ratio: 3, falsehoods: append(slices.Clone(confirms), claim.Direction), rate: 0.025},
		{name: "by-construction", injected: "a was made to do what is claimed", claim: claim.Claim{ID: "c", Expressions: []string{"throughput[a] / throughput[b] >= 2 published 2.1"}, ByConstruction: "a's wait is chosen so"}, blocks: 8, noise: 0.02, ratio: 2.1, falsehoods: confirms, rate: 0.001},
		{name: "opposite", injected: "0.8 times where 2.3 are claimed", claim: one("throughput[a] / throughput[b] >= 2.3 published 2.3"), blocks: 8, noise: 0.03, ratio: 0.8, falsehoods: append(slices.Clone(confirms), claim.Direction, claim.NoEffect), rate: 0.025},
		{name: "just-short", injected: "1.0999 times where 1.1 are claimed", claim: one("throughput[a] >= 1.1 * throughput[b]"), blocks: 8, noise: 0.02, ratio: 1.0999, falsehoods: confirms, rate: 0.025},
		{name: "nothing-nine-parts", injected: "no effect in any of nine parts", claim: nine, blocks: 6, noise: 0.05, ratio: 1, falsehoods: []claim.Verdict{claim.Opposite}, rate: 0.05},
		{name: "nothing-four-blocks", injected: "no effect, a difference is claimed, 4 blocks", claim: one("throughput[a] > throughput[b]"), blocks: 4, noise: 0.05, ratio: 1, falsehoods: append(slices.Clone(confirms), claim.Direction, claim.Opposite), rate: 0.05},
		{name: "equal-is-claimed", injected: "1 % apart, the same within 5 % is claimed", claim: one("throughput[a] / throughput[b] ~ 1 +- 5%"), blocks: 10, noise: 0.02, ratio: 1.01, falsehoods: refutes, rate: 0.025},
		{name: "one-place-of-the-dial", injected: "a tenth at one of three levels of the dial, as much as before at the others; a tenth is claimed over all", claim: claim.Claim{ID: "c", Expressions: []string{"throughput[a] / throughput[b] <= 0.1 published 0.1"}, Over: []claim.Moderator{{Factor: "dial", Levels: []string{"1", "10", "100"}}}}, blocks: 8, noise: 0.03, ratio: 1, dial: map[string]float64{"1": 1, "10": 0.98, "100": 0.1}, falsehoods: append(slices.Clone(confirms), claim.Direction), rate: 0.025},
		{name: "beyond-the-floor", injected: "even work that costs nothing would leave 0.6; 0.3 are claimed", claim: one("throughput[a] / throughput[b] <= 0.3 published 0.3 floor throughput[none] / throughput[b]"), blocks: 8, noise: 0.03, ratio: 0.8, falsehoods: append(slices.Clone(confirms), refutes...), rate: 0.025},
		{name: "a-few-slow-starts", injected: "a quarter of a's starts is a tenth slower; 5 % more than b are claimed", claim: one("throughput[a] >= 1.05 * throughput[b]"), blocks: 8, noise: 0.02, ratio: 1, slowed: 0.25, slower: 1.1, falsehoods: confirms, rate: 0.025},
		{name: "very-slow-starts", injected: "a quarter of a's starts is twice as slow; that a is faster is claimed", claim: one("throughput[a] > throughput[b]"), blocks: 8, noise: 0.02, ratio: 1, slowed: 0.25, slower: 2, falsehoods: confirms, rate: 0.025},
	} {
		cases = append(cases, Case{Name: "verdicts/" + j.name, Injected: j.injected, Examine: j.examine})
	}
	cases = append(cases, unitCase())
	return cases
}

// examine draws studies and counts what was said against the truth.
func (j *judged) examine(ctx context.Context, _ *lab, e *Examined) error {
	r := rand.New(rand.NewPCG(1, uint64(len(j.name))))
	said := map[claim.Verdict]int{}
	wrong := 0
	for range studiesDrawn {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		out := claim.Evaluate(&j.claim, j.draw(r), claim.Options{})
		said[out.Verdict]++
		if slices.ContainsFunc(append([]claim.Verdict{out.Verdict}, partsOf(&out)...), func(v claim.Verdict) bool { return slices.Contains(j.falsehoods, v) }) && j.counts(&out) {
			wrong++
		}
	}
	share := float64(wrong) / studiesDrawn
	limit := j.rate + 3*math.Sqrt(j.rate*(1-j.rate)/studiesDrawn)
	var parts []string
	for _, v := range claim.Verdicts() {
		if said[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %.1f %%", v, 100*float64(said[v])/studiesDrawn))
		}
	}
	e.say(fmt.Sprintf("verdicts on %d made-up studies", studiesDrawn), share <= limit, strings.Join(parts, ", "), fmt.Sprintf("%s; at most %.1f %% may be said against it, and %.2f %% were", j.injected, 100*j.rate, 100*share))
	return nil
}

// counts reports whether a falsehood about a part is one about the claim: over a
// dial the parts may well be right where the whole is not.
func (j *judged) counts(out *claim.Outcome) bool {
	return j.dial == nil || slices.Contains(j.falsehoods, out.Verdict)
}

func partsOf(out *claim.Outcome) (verdicts []claim.Verdict) {
	for i := range out.Parts {
		verdicts = append(verdicts, out.Parts[i].Verdict)
	}
	return verdicts
}

// drawn is a made-up study of a, b and none, which does no work.
type drawn struct {
	space  *claim.Space
	values [][]float64 // by cell
}

func (d *drawn) Space() *claim.Space { return d.space }
func (d *drawn) Blocks() int         { return len(d.values[0]) }
func (d *drawn) Values(_ string, cell int) ([]float64, i18n.Message) {
	return d.values[cell], i18n.Message{}
}
func (d *drawn) AtLeast(string, int) []float64            { return nil }
func (d *drawn) Failed(_ string, cell int) []bool         { return make([]bool, len(d.values[cell])) }
func (d *drawn) Noise(string, int) (stats.Interval, bool) { return stats.Interval{}, false }

func (d *drawn) Index(claim.Share) (stats.Interval, i18n.Message) {
	return stats.Interval{}, i18n.Verbatim("it has no samples")
}

// draw makes a study up: blocks differ by 5 %, trials by the noise.
func (j *judged) draw(r *rand.Rand) *drawn {
	levels := []string{"1"}
	if j.dial != nil {
		levels = j.claim.Over[0].Levels
	}
	blocks := make([]float64, j.blocks)
	for i := range blocks {
		blocks[i] = 1000 * math.Exp(0.05*r.NormFloat64())
	}
	d := &drawn{}
	var cells []claim.Cell
	for _, subject := range []string{"a", "b", "none"} {
		for _, level := range levels {
			cells = append(cells, claim.Cell{Index: len(cells), Subject: subject, Load: "l", Levels: map[string]string{"dial": level}})
			truth := map[string]float64{"a": j.ratio, "b": 1, "none": 0.6}[subject]
			if at, ok := j.dial[level]; ok && subject == "a" {
				truth = at
			}
			values := make([]float64, j.blocks)
			for i := range values {
				values[i] = truth * blocks[i] * math.Exp(j.noise*r.NormFloat64())
				if subject == "a" && r.Float64() < j.slowed {
					values[i] /= j.slower
				}
			}
			d.values = append(d.values, values)
		}
	}
	d.space = claim.SpaceOf([]claim.Metric{{Name: "throughput", Unit: "req/s"}}, cells)
	return d
}
