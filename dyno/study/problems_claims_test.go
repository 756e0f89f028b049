package study

import (
	"reflect"
	"testing"

	"dyno.example/dyno/claim"
)

const varied = `study: s
subjects: [go/gin, go/chi]
factors: {connections: [16, 64], env.TLS: [off, resumed]}
`

func TestClaimProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"no list", minimal + "claims: a\n",
			`s.yaml:3:9: claims: expected a list, got "a" (write it as [a, b] or one "- item" a line)`},
		{"no id", minimal + "claims: [{holds: errors < 1%}]\n",
			"s.yaml:3:10: claims[0]: the claim has no id (add: id: faster)"},
		{"id", minimal + "claims: [{id: a b, holds: errors < 1%}]\n",
			`s.yaml:3:15: claims[0].id: expected a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit, got "a b"`},
		{"nothing to decide", minimal + "claims: [{id: a, says: b}]\n",
			"s.yaml:3:10: claims[0]: the claim has nothing to decide (add: holds: throughput[a] > throughput[b])"},
		{"two forms", minimal + "claims: [{id: a, holds: errors < 1%, expressions: [errors < 2%]}]\n",
			"s.yaml:3:51: claims[0].expressions: expected holds or expressions, got both (put them all under expressions)"},
		{"twice", minimal + "claims: [{id: a, holds: errors < 1%}, {id: a, holds: errors < 2%}]\n",
			`s.yaml:3:39: claims[1]: two claims are called "a" (give one of them another id)`},
		{"unknown field", minimal + "claims: [{id: a, hold: errors < 1%}]\n",
			`s.yaml:3:18: claims[0].hold: unknown field (did you mean "holds"?)`},
		{"margin", minimal + "claims: [{id: a, holds: errors < 1%, margin: 2}]\n",
			`s.yaml:3:46: claims[0].margin: expected a share such as 2%, at most 50%, got "2"`},
		{"syntax", minimal + "claims:\n- id: a\n  holds: errors < < 1%\n",
			`s.yaml:5:19: claims[0].holds: expected a metric or a number, got "<"`},
		{"no comparison, in quotes", minimal + "claims:\n- id: a\n  holds: \"errors\"\n",
			"s.yaml:5:17: claims[0].holds: expected <, <=, >, >= or ~, got the end (a claim compares, such as a / b >= 2.3)"},
		{"unknown metric", minimal + "claims:\n- id: a\n  holds: 2 * troughput > 5\n",
			`s.yaml:5:14: claims[0].holds: there is no metric "troughput" here (did you mean "throughput"?)`},
		{"unknown subject", minimal + "claims:\n- id: a\n  expressions:\n  - throughput[gni] > 5\n",
			`s.yaml:6:16: claims[0].expressions[0]: there is no subject "gni" here (did you mean "gin"?)`},
		{"unknown factor", varied + "claims:\n- id: a\n  holds: cpu[gin, conections=16] > 5us\n",
			`s.yaml:6:19: claims[0].holds: there is no factor "conections" here (did you mean "connections"?)`},
		{"unknown level", varied + "claims:\n- id: a\n  holds: cpu[gin, connections=32] > 5us\n",
			`s.yaml:6:19: claims[0].holds: there is no level of connections "32" here (there are 16, 64)`},
		{"factors left open", varied + "claims:\n- id: a\n  holds: cpu[gin, connections=16] > 5us\n",
			`s.yaml:6:10: claims[0].holds: 2 cells fit (choose env.TLS= (off, resumed))`},
		{"all left open", varied + "claims:\n- id: a\n  holds: cpu > 5us\n",
			`s.yaml:6:10: claims[0].holds: 8 cells fit (choose a subject (go/gin, go/chi), connections= (16, 64) and env.TLS= (off, resumed))`},
		{"unlike things", minimal + "claims:\n- id: a\n  holds: response.p99 > 5\n",
			`s.yaml:5:23: claims[0].holds: a time can't be held against a plain number (write numbers with their unit, such as 12ms or 4MB)`},
		{"direction", minimal + "claims:\n- id: a\n  holds: errors < 1%\n  direction: cpu < 3MB\n",
			`s.yaml:6:18: claims[0].direction: a time can't be held against a size in bytes`},
		{"published", minimal + "claims:\n- id: a\n  holds: errors < 1% published errors\n",
			`s.yaml:5:32: claims[0].holds: a published figure has nothing measured in it (write it as a number, or as numbers put together: 65300 / 28400)`},
		{"published on the other side", varied + "claims:\n- id: a\n  holds: cpu[gin, connections=16, env.TLS=off] < cpu[chi, connections=16, env.TLS=off] published 1.5\n",
			`s.yaml:6:98: claims[0].holds: the published figure 1.5 is not on the side that is claimed, < 1`},
		{"over no factor", varied + "claims:\n- id: a\n  over: conections\n  holds: errors[gin, env.TLS=off] < 1%\n",
			`s.yaml:6:9: claims[0].over: there is no factor "conections" here (did you mean "connections"?)`},
		{"over a level that isn't there", varied + "claims:\n- id: a\n  over: {connections: [16, 32]}\n  holds: errors[gin, env.TLS=off] < 1%\n",
			`s.yaml:6:9: claims[0].over: there is no level of connections "32" here (there are 16, 64)`},
		{"over one level", varied + "claims:\n- id: a\n  over: {connections: [16]}\n  holds: errors[gin, env.TLS=off] < 1%\n",
			`s.yaml:6:9: claims[0].over: connections has one level only, which is no range (measure it at several)`},
		{"over a dial, left open", varied + "claims:\n- id: a\n  over: connections\n  holds: errors[gin] < 1%\n",
			`s.yaml:7:10: claims[0].holds: 2 cells fit (choose env.TLS= (off, resumed))`},
		{"folded", minimal + "claims:\n- id: a\n  holds: >\n    errors <\n    1% 2\n",
			`s.yaml:5:10: claims[0].holds: at its character 13: expected the end, or "and", got "2"`},
	})
}

// What else is wrong must not be reported a second time as names that claims lack.
func TestClaimsAreLookedUpInAStudyThatIsRight(t *testing.T) {
	checkProblems(t, []problemCase{
		{"bad factor", minimal + "factors: {conections: [1, 2]}\nclaims: [{id: a, holds: \"max(connections: errors < 1%) > 3\"}]\n",
			`s.yaml:3:11: factors.conections: unknown factor (did you mean "connections"?)`},
	})
}

func TestClaims(t *testing.T) {
	s := parse(t, varied+`claims:
  - id: one
    says: >
      TLS
      costs nothing.
    published: 4.5 %
    holds: response.p99[gin, connections=64, env.TLS=resumed] < 1.2 * response.p99[gin, connections=64, env.TLS=off]
    margin: 3%
  - {id: two, expressions: ["knee(connections)[chi, env.TLS=off] > 16", "errors[chi, env.TLS=off, connections=16] < 1%"], direction: "errors[chi, env.TLS=off, connections=16] < 2%"}
  - {id: three, unmeasurable: needs two NUMA nodes}
  - {id: four, over: {connections: [16, 64]}, holds: "cpu[gin, env.TLS=off] < cpu[chi, env.TLS=off] published 0.8"}
  - {id: five, over: connections, holds: "cpu[gin, env.TLS=off] < cpu[chi, env.TLS=off]"}
`)
	want := []claim.Claim{
		{ID: "one", Says: "TLS costs nothing.", Published: "4.5 %", Margin: 0.03,
			Expressions: []string{"response.p99[gin, connections=64, env.TLS=resumed] < 1.2 * response.p99[gin, connections=64, env.TLS=off]"}},
		{ID: "two", Direction: "errors[chi, env.TLS=off, connections=16] < 2%",
			Expressions: []string{"knee(connections)[chi, env.TLS=off] > 16", "errors[chi, env.TLS=off, connections=16] < 1%"}},
		{ID: "three", Unmeasurable: "needs two NUMA nodes"},
		{ID: "four", Over: []claim.Moderator{{Factor: "connections", Levels: []string{"16", "64"}}}, Expressions: []string{"cpu[gin, env.TLS=off] < cpu[chi, env.TLS=off] published 0.8"}},
		{ID: "five", Over: []claim.Moderator{{Factor: "connections"}}, Expressions: []string{"cpu[gin, env.TLS=off] < cpu[chi, env.TLS=off]"}},
	}
	if !reflect.DeepEqual(s.Claims, want) {
		t.Errorf("got\n%+v\nwant\n%+v", s.Claims, want)
	}
	if got := s.Quick().Claims; len(got) != 5 {
		t.Errorf("the short form has %d claims", len(got))
	}
}
