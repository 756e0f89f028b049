//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dyno.example/dyno/claim"
)

// unitCase is a claim whose expression divides a difference, and that is a range of which
// the effect is a sixth: the effect is told in the expression's unit, as one part.
func unitCase() Case {
	const expression = "3 <= (throughput[a] - throughput[b]) / 100 <= 8"
	return Case{"verdicts/unit-of-the-expression", "a does 50 of 1,000 more than b: " + expression + " is 0.5", func(_ context.Context, _ *lab, e *Examined) error {
		c := claim.Claim{ID: "c", Expressions: []string{expression}}
		j := judged{claim: c, blocks: 8, noise: 0.001, ratio: 1.05}
		out := claim.Evaluate(&c, j.draw(rand.New(rand.NewPCG(1, 2))), claim.Options{})
		e.say("parts", len(out.Parts) == 1, fmt.Sprint(len(out.Parts)), "one range is one part")
		for i := range out.Parts {
			p := &out.Parts[i]
			if p.Effect == nil {
				e.silent("the effect", "none", "about 0.5")
				continue
			}
			v := p.Effect.Interval.Estimate
			e.say("the effect", v > 0.4 && v < 0.6, fmt.Sprintf("%.3g of %s", v, p.Effect.Of), "about 0.5")
			e.say("the verdict", p.Verdict == claim.SizeRefuted, string(p.Verdict), "its size is refuted")
		}
		return nil
	}}
}
