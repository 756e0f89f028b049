package claim

import (
	"strings"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// recorded is a part as it was recorded before the unit of an effect was its expression's.
func recorded(expression, of string, v Verdict, op Op, bound, estimate, low, high float64) Part {
	null := 0.0
	return Part{Expression: expression, Verdict: v, Blocks: 6, Effect: &Effect{
		Of: of, Unit: "µs", Op: op, Bound: bound, NoEffect: &null,
		Interval: stats.Interval{N: 6, Estimate: estimate, Low: low, High: high, Level: 0.95},
	}}
}

// An effect that is a fiftieth of the range that is claimed was recorded as "14.2 µs,
// confirmed" next to "… / 100 <= 8us".
func TestRejudgeARange(t *testing.T) {
	const difference = "cpu[t=on] - cpu[t=off]"
	old := Outcome{ID: "clock", Verdict: Mixed, Parts: []Part{
		recorded("("+difference+") / 100 >= 3us", difference, Direction, GreaterEq, 300, 14.2, 11.1, 17.4),
		recorded("("+difference+") / 100 <= 8us", difference, Confirmed, LessEq, 800, 14.2, 11.1, 17.4),
	}}
	held := &Claim{Expressions: []string{"3us <= (" + difference + ") / 100 <= 8us"}}
	out := Rejudge(old, held)
	if out.Verdict != SizeRefuted || len(out.Parts) != 1 {
		t.Fatalf("%+v", out)
	}
	e := out.Parts[0].Effect
	if compare(e.Interval.Estimate, 0.142) != 0 || compare(e.Interval.High, 0.174) != 0 || e.Of != "("+difference+") / 100" || e.Op != Between || compare(e.Bound, 5.5) != 0 {
		t.Errorf("%+v", e)
	}
	if again := Rejudge(out, held); again.Verdict != SizeRefuted || again.Parts[0].Effect.Interval != e.Interval {
		t.Errorf("judged once more it is %+v", again)
	}
	if old.Parts[0].Effect.Interval.Estimate != 14.2 {
		t.Error("the record was changed")
	}
}

func TestRejudge(t *testing.T) {
	const text = "throughput[a] / throughput[b] >= 256"
	one := 1.0
	part := func(v Verdict, low, high float64) Outcome {
		return Outcome{Verdict: v, Parts: []Part{{Expression: text, Verdict: v, Blocks: 6, Effect: &Effect{
			Of: "throughput[a] / throughput[b]", Unit: "×", Op: GreaterEq, Bound: 256, NoEffect: &one,
			Interval: stats.Interval{N: 6, Estimate: (low + high) / 2, Low: low, High: high, Level: 0.95},
		}}}}
	}
	for name, c := range map[string]struct {
		old  Outcome
		held Claim
		want Verdict
		why  string
	}{
		"a size that is excluded":     {part(Direction, 1.86, 1.95), Claim{Expressions: []string{text}}, SizeRefuted, "smaller"},
		"a size that can't be told":   {part(Direction, 1.86, 300), Claim{Expressions: []string{text}}, Direction, ""},
		"no other outcome":            {part(Confirmed, 300, 400), Claim{Expressions: []string{text}, ByConstruction: "the wait is fitted"}, ByConstruction, "no other outcome"},
		"fitted, and yet not reached": {part(Direction, 1.86, 1.95), Claim{Expressions: []string{text + " fitted"}, ByConstruction: "the wait is fitted"}, SizeRefuted, ""},
		"another part is fitted":      {part(Confirmed, 300, 400), Claim{Expressions: []string{text, "cpu[a] > 1us fitted"}, ByConstruction: "x"}, Confirmed, ""},
		"can't be told here":          {part(SizeRefuted, 1, 2), Claim{Expressions: []string{text}, Unmeasurable: "of another machine"}, Unmeasurable, "of another machine"},
		"a part can't be told here":   {part(SizeRefuted, 1, 2), Claim{Expressions: []string{text + " unmeasurable"}, Unmeasurable: "of another machine"}, Unmeasurable, "of another machine"},
	} {
		out := Rejudge(c.old, &c.held)
		if out.Verdict != c.want || out.Parts[0].Verdict != c.want || !strings.Contains(out.Why.String(), c.why) {
			t.Errorf("%s: %s (%s), parts %s, want %s", name, out.Verdict, out.Why, out.Parts[0].Verdict, c.want)
		}
	}
}

// That requests failed needs no words where their share is what is asked, neither of a run nor of a
// record; of other figures it does.
func TestFailuresThatAreTheFigure(t *testing.T) {
	const told = "; in 6 of 6 blocks a subject failed"
	for text, want := range map[string]string{"errors[a] < 70%": "fine", "errors[a] - errors[b] < 0.5 * errors[c]": "fine", "cpu[a] < 70us": "fine" + told} {
		old := Outcome{Verdict: Confirmed, Why: i18n.Join("fine", told), Parts: []Part{{Expression: text, Verdict: Confirmed, Why: i18n.Join("fine", told)}}}
		if out := Rejudge(old, &Claim{Expressions: []string{text}}); out.Why.String() != want || out.Parts[0].Why.String() != want {
			t.Errorf("%s: %q", text, out.Why)
		}
	}
	src := single([]float64{20, 21, 22, 20, 21, 22}, []float64{20, 21, 22, 20, 21, 22})
	src.failed = map[int][]bool{0: {true, true, true, true, true, true}}
	for text, want := range map[string]bool{"errors[a] < 90%": false, "cpu[a] < 90us": true} {
		out := decide(src, text)
		if got := strings.Contains(out.Why.String(), "a subject failed"); got != want || out.Verdict != Confirmed {
			t.Errorf("%s: %s", text, describe(out))
		}
	}
}

// By construction is said of a run as it is of a record.
func TestByConstruction(t *testing.T) {
	const text = "throughput[b, rate=100, tls=off] > throughput[a, rate=100, tls=off]"
	c := Claim{Expressions: []string{text}, ByConstruction: "b waits half as long"}
	out := Evaluate(&c, made(6), Options{})
	if out.Verdict != ByConstruction || out.ByConstruction != c.ByConstruction || out.Verdict.Confirms() {
		t.Errorf("%s", describe(out))
	}
	c = Claim{Expressions: []string{"throughput[b, rate=100, tls=off] > 1.1 * throughput[a, rate=100, tls=off] unmeasurable", text}, Unmeasurable: "too few"}
	if out := Evaluate(&c, made(6), Options{}); out.Verdict != Mixed || out.Parts[0].Verdict != Unmeasurable || out.Parts[1].Verdict != Confirmed {
		t.Errorf("%s", describe(out))
	}
}
