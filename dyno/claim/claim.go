// Package claim decides whether a claim about a service holds. A claim is an expression
// over the figures of a study:
//
//	throughput[fiber] / throughput[nethttp] >= 2.3
//	response.p99[tls=resumed] < 1.2 * response.p99[tls=off]
//	knee(connections)[gnet] > 10000
//	max(rate: response.p99.9 < 12ms)[go/nano] >= 12843
//	sobol(throughput, env.WORKERS) >= 0.3
//	throughput[request=hijack] / throughput[request=plaintext] ~ 1.37 +- 5%
//	rss[request=radix] <= 0.69 * rss[request=trie] published 9.8 / 14.2 floor rss[request=none] / rss[request=trie]
//
// It is evaluated block by block, since what disturbed one trial of a block
// disturbed the others too, and becomes an effect with its interval; the verdict
// compares that with what is claimed. dyno/docs/claims-and-verdicts.md has the rule.
//
// The package is pure: it knows numbers by name, never where they come from.
package claim

// Claim is a claim as a study has it.
type Claim struct {
	ID          string   `json:"id"`
	Says        string   `json:"says,omitempty"`        // in words
	Published   string   `json:"published,omitempty"`   // the figures as they were published
	Expressions []string `json:"expressions,omitempty"` // that must all hold; the figures in them may name what was published
	// Direction says what must hold for the direction to be right, where that is
	// not simply "there is an effect, on the claimed side".
	Direction string `json:"direction,omitempty"`
	// Over is the range of moderators, such as how often the work is repeated in each
	// request, over which the expressions must hold.
	Over []Moderator `json:"over,omitempty"`
	// Margin is the share within which two figures are the same; 0 means
	// [DefaultMargin].
	Margin float64 `json:"margin,omitempty"`
	// Unmeasurable says why no study can decide this here, and how to run it where
	// it can. It stands instead of expressions, or next to them, ready to run.
	// It is about the comparisons that are marked so, if any are.
	Unmeasurable string `json:"unmeasurable,omitempty"`
	// ByConstruction says why the study could not have come out otherwise, such as that its
	// service was made to do what was published: what is confirmed then is [ByConstruction].
	// It is about the comparisons that are marked as fitted, or about all if none is.
	ByConstruction string `json:"by_construction,omitempty"`
}

// Defaults of what a claim leaves out.
const (
	DefaultMargin    = 0.02 // share within which two figures are the same
	DefaultTolerance = 0.10 // of "~"
)

// margin is the claim's margin with its default.
func (c *Claim) margin() float64 {
	if c.Margin > 0 {
		return c.Margin
	}
	return DefaultMargin
}
