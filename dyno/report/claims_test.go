package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/present"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// ruled is a report with a claim of each verdict.
func ruled() *analysis.Analysis {
	one := 1.0
	effect := func(of, unit string, estimate, low, high float64, op claim.Op, bound float64) *claim.Effect {
		return &claim.Effect{Of: of, Unit: unit, Op: op, Bound: bound,
			Interval: stats.Interval{N: 6, Estimate: estimate, Low: low, High: high, Level: 0.95}}
	}
	ratio := effect("throughput[gnet] / throughput[nethttp]", "×", 1.832, 1.81, 1.86, claim.GreaterEq, 1.5)
	short := effect("throughput[fiber] / throughput[nethttp]", "×", 1.33, 1.28, 1.38, claim.About, 2.3)
	ratio.NoEffect, short.NoEffect, short.Tolerance = &one, &one, 0.1
	knee := effect("knee(connections)[gnet]", "", 7000, 5000, 7000, claim.Greater, 10000)
	knee.Above = true
	a := eight().make()
	a.Claims = []claim.Outcome{
		{ID: "six-gnet", Says: "gnet serves half as much again as net/http.", Published: "78,900 against 14,200 requests/s", Verdict: claim.Confirmed, Why: i18n.Verbatim("the whole interval is on the claimed side"), Blocks: 6,
			Parts: []claim.Part{{Expression: "throughput[gnet] >= 1.5 * throughput[nethttp]", Verdict: claim.Confirmed, Why: i18n.Verbatim("the whole interval is on the claimed side"), Effect: ratio, Blocks: 6, Noise: &stats.Interval{N: 6, Estimate: 1.001, Low: 0.99, High: 1.01, Level: 0.95}}}},
		{ID: "six-frameworks", Says: "Fiber serves 2.3 times what net/http does.", Verdict: claim.Direction, Why: i18n.Verbatim("the direction holds, but the effect is smaller than claimed"), Blocks: 6,
			Parts: []claim.Part{{Expression: "throughput[fiber] / throughput[nethttp] ~ 2.3", Verdict: claim.Direction, Why: i18n.Verbatim("the direction holds, but the effect is smaller than claimed"), Effect: short, Blocks: 6, Noise: &stats.Interval{N: 1, Estimate: 1.07, Low: 1.07, High: 1.07}}}},
		{ID: "tail", Verdict: claim.Mixed, Why: i18n.Verbatim("no effect: the same within 2 %"), Blocks: 5,
			Parts: []claim.Part{
				{Expression: "response.p99[gin] < 4ms", Verdict: claim.Confirmed, Why: i18n.Verbatim("the whole interval is on the claimed side"), Effect: effect("response.p99[gin]", "µs", 2786, 2700, 2850, claim.Less, 4000), Blocks: 5},
				{Expression: "cpu[gin] < 0.5 * cpu[chi]", Verdict: claim.NoEffect, Why: i18n.Verbatim("no effect: the same within 2 %"), Effect: effect("cpu[gin] / cpu[chi]", "×", 1.001, 0.99, 1.01, claim.Less, 0.5), Blocks: 5},
			}},
		{ID: "six-io-knee", Says: "gnet goes on beyond 10,000 connections.", Verdict: claim.Undecided, Why: i18n.Verbatim("the data can't tell: about 4 more blocks would tell"), Blocks: 6, Needed: 4,
			Parts: []claim.Part{{Expression: "knee(connections)[gnet] > 10000", Verdict: claim.Undecided, Why: i18n.Verbatim("the data can't tell: about 4 more blocks would tell"), Effect: knee, Blocks: 6, Needed: 4}}},
		{ID: "gate-affinity", Says: "Pinning to one NUMA node brings half as much again.", Verdict: claim.Unmeasurable, Why: i18n.Verbatim("this machine has one NUMA node; where there are two, run it as it is"),
			Parts: []claim.Part{{Expression: "throughput[pinned] >= 1.38 * throughput[free]", Verdict: claim.Unmeasurable}}},
	}
	return a
}

// Every form says the verdict, the effect with its interval, and what is claimed.
func TestClaimsInEveryForm(t *testing.T) {
	for name, want := range map[string][]string{
		"page":          {"CONFIRMED", "DIRECTION ONLY", "NO EFFECT", "MIXED (5 blocks)", "UNDECIDED", "UNMEASURABLE", "1.83×", "1.81–1.86", "≥ 1.5×", "~ 2.3× ± 10 %", "≥ 5000", "78,900 against", "A/A, the same program measured twice: 1.00× (0.990–1.01)", "A/A, the same program measured twice: 1.07× (no interval)", "about 4 more blocks would tell", "one NUMA node", `href="#claims"`, "95 % interval"},
		"markdown.md":   {"## Claims and verdicts", "| **CONFIRMED** | gnet serves half as much again as net/http. |", "`` throughput[gnet] >= 1.5 * throughput[nethttp] `` | 1.83× (1.81–1.86) | ≥ 1.5× |", "| NO EFFECT (5 blocks) | `` cpu[gin] < 0.5 * cpu[chi] ``", "about 4 more blocks would tell (6 blocks)"},
		"table.txt":     {"CONFIRMED  six-gnet\n  gnet serves half as much again as net/http.\n  throughput[gnet] >= 1.5 * throughput[nethttp]\n  1.83× (1.81–1.86), claimed ≥ 1.5×\n  The whole interval is on the claimed side (6 blocks)\n", "MIXED (5 blocks)  tail\n  response.p99[gin] < 4ms\n  CONFIRMED (5 blocks): 2.79 ms (2.70–2.85), claimed < 4 ms\n"},
		"analysis.json": {`"verdict": "confirmed"`, `"open_above": true`},
	} {
		var out bytes.Buffer
		if err := formats[name](&out, ruled()); err != nil {
			t.Fatal(err)
		}
		text := plainSpaces(strings.ReplaceAll(out.String(), "&#43;", "+"))
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
	}
}

func TestARunWithoutClaimsDoesNotMentionThem(t *testing.T) {
	for name, write := range formats {
		var out bytes.Buffer
		if err := write(&out, eight().make()); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{`id="claims"`, "Claims and verdicts"} {
			if strings.Contains(out.String(), word) {
				t.Errorf("%s has %q", name, word)
			}
		}
	}
}

// A part without a figure has its reason under it: the claim's is about all parts.
func TestPartWithoutFigure(t *testing.T) {
	a := ruled()
	a.Claims[2].Parts = append(a.Claims[2].Parts, claim.Part{Expression: "gc.cycles[gin] < 5", Verdict: claim.Undecided, Why: i18n.Verbatim("0 of at least 2 blocks can be used")})
	var out bytes.Buffer
	if err := Table(&out, a, "en", 140, false); err != nil {
		t.Fatal(err)
	}
	if want := "gc.cycles[gin] < 5\n  UNDECIDED (0 blocks): 0 of at least 2 blocks can be used\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in\n%s", want, out.String())
	}
}

func TestClaimsFitATerminal(t *testing.T) {
	for _, width := range []int{30, 40, 80, 140} {
		var out bytes.Buffer
		a := ruled()
		for i := range a.Claims { // an expression can't be broken where it has no spaces
			for k := range a.Claims[i].Parts {
				a.Claims[i].Parts[k].Expression = "cpu[gin] < 1ms"
			}
		}
		if err := Table(&out, a, "en", width, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := present.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
	}
}

func TestHostileClaims(t *testing.T) {
	a := ruled()
	a.Claims[0].Says, a.Claims[0].Published, a.Claims[0].Why, a.Claims[0].Parts[0].Why = hostile, hostile, i18n.Verbatim(hostile), i18n.Join("x", hostile)
	for name, write := range formats {
		var out bytes.Buffer
		if err := write(&out, a); err != nil {
			t.Fatal(err)
		}
		if name != "analysis.json" && name != "values.csv" && strings.Contains(out.String(), "<img src=x") && !strings.HasPrefix(name, "table") {
			t.Errorf("%s holds a claim as markup", name)
		}
		if strings.HasPrefix(name, "table") && strings.Contains(out.String(), "\x1b[31m{{") {
			t.Errorf("%s passes escapes on to the terminal", name)
		}
	}
}

func TestEffectScale(t *testing.T) {
	effects := map[string]*effectScale{}
	for _, o := range ruled().Claims {
		for _, p := range o.Parts {
			if p.Effect != nil {
				effects[p.Expression] = newEffectScale(p.Effect)
			}
		}
	}
	for name, s := range effects {
		if s == nil || s.Left < 0 || s.Wide <= 0 || s.Left+s.Wide > 100.05 || s.Bound < 0 || s.Bound > 100 || s.Mid < s.Left-0.05 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s := effects["throughput[gnet] >= 1.5 * throughput[nethttp]"]; !(s.HasNull && s.Null < s.Bound && s.Bound < s.Left) {
		t.Errorf("1, 1.5 and 1.81 are not in this order: %+v", s)
	}
	if s := effects["knee(connections)[gnet] > 10000"]; s.Left+s.Wide < 99.9 {
		t.Errorf("an interval without an upper end ends at %g", s.Left+s.Wide)
	}
	one := claim.Effect{Unit: "×", Interval: stats.Interval{N: 1, Estimate: 1, Low: 1, High: 1}, Bound: 2}
	if s := newEffectScale(&one); s != nil {
		t.Errorf("one block: %+v", s)
	}
}

// TestClaimsCSV: a row per comparison, and nothing in a field that is not known.
func TestClaimsCSV(t *testing.T) {
	a := ruled()
	figure := 1.5
	a.Claims[0].Parts[0].Effect.Published, a.Claims[0].Parts[0].At, a.Validity = &figure, "env.REPEAT=10", finding.Suspect
	a.Claims[0].Basis = &claim.Basis{Validity: "SUSPECT", Machine: "A CPU × 2", Commit: "0123456789ab", Doubts: []i18n.Message{i18n.Verbatim("errors: some"), i18n.Verbatim("twin-differs: much")}}
	a.Claims = append(a.Claims, claim.Outcome{ID: "nowhere", Verdict: claim.Unmeasurable, Why: i18n.Verbatim("takes a second machine")})
	var out bytes.Buffer
	if err := ClaimsCSV(&out, a); err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(table) != 1+5+1+1 {
		t.Fatalf("%d rows, %v", len(table), err)
	}
	rows := make([]map[string]string, len(table)-1)
	for i, texts := range table[1:] {
		rows[i] = map[string]string{}
		for k, name := range table[0] {
			rows[i][name] = texts[k]
		}
	}
	for i, want := range []map[string]string{
		{"claim": "six-gnet", "verdict": "confirmed", "part": "1", "estimate": "1.832", "low": "1.81", "high": "1.86", "level": "0.95", "unit": "×", "operator": ">=", "claimed": "1.5", "tolerance": "", "no_effect": "1", "noise": "1.001", "noise_high": "1.01", "blocks": "6", "needed_blocks": "", "run": a.Run.ID, "validity": "SUSPECT", "word": "confirmed (SUSPECT run, see its doubts)", "part_word": "confirmed (SUSPECT run, see its doubts)", "machine": "A CPU × 2", "commit": "0123456789ab", "clean": "false", "doubts": "errors: some; twin-differs: much", "by_rank": "", "at": "env.REPEAT=10", "published_figure": "1.5"},
		{"claim": "six-frameworks", "verdict": "direction only", "operator": "~", "tolerance": "0.1", "noise": "1.07", "at": "", "published_figure": ""},
		{"claim": "tail", "verdict": "mixed", "part": "1", "part_verdict": "confirmed", "estimate": "2786", "unit": "µs", "no_effect": ""},
		{"claim": "tail", "verdict": "mixed", "part": "2", "part_verdict": "no effect", "noise": "", "expression": "cpu[gin] < 0.5 * cpu[chi]"},
		{"claim": "six-io-knee", "verdict": "undecided", "low": "5000", "high": "", "needed_blocks": "4"},
		{"claim": "gate-affinity", "verdict": "unmeasurable", "part": "1", "estimate": "", "low": "", "operator": ""},
		{"claim": "nowhere", "verdict": "unmeasurable", "why": "takes a second machine", "part": "", "expression": "", "noise_high": ""},
	} {
		for name, value := range want {
			if got, ok := rows[i][name]; !ok || got != value {
				t.Errorf("row %d: %s is %q, want %q", i+1, name, got, value)
			}
		}
	}
	out.Reset()
	if err := ClaimsCSV(&out, eight().make()); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("without claims: %q, %v", out.String(), err)
	}
}
