package claim

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// That two figures are the same is refuted by its size alone, to whichever side.
func TestTheSameToEitherSide(t *testing.T) {
	for _, text := range []string{"cpu[a] ~ cpu[b] +- 5%", "cpu[a] / cpu[b] ~ 1 +- 5%", "0.95 <= cpu[a] / cpu[b] <= 1.05"} {
		for ratio, want := range map[float64]Verdict{0.5: SizeRefuted, 0.94: SizeRefuted, 0.96: Confirmed, 0.98: Confirmed, 1: Confirmed, 1.04: Confirmed, 1.06: SizeRefuted, 2: SizeRefuted} {
			var a, b []float64
			for block := range 8 {
				b = append(b, 100)
				a = append(a, 100*ratio*(1+0.002*float64(block%3-1)))
			}
			if out := decide(single(a, b), text); out.Verdict != want {
				t.Errorf("%s at %g: %s, want %s", text, ratio, describe(out), want)
			}
		}
	}
}

// Whatever blocks there are of subjects that failed, or of which nothing is known: an outcome can be
// written, what is confirmed holds in more than half of the blocks, and its contrary in none of the
// verdicts; what is the same is so in more than half of them.
func TestFiguresAtTheEndsOfTheScale(t *testing.T) {
	inf := math.Inf(1)
	type figures struct{ a, b float64 }
	cases := []struct {
		metric, text, contrary string
		worst                  float64
		holds                  func(figures) bool
		near                   func(figures) bool // no effect to speak of
	}{
		{"throughput", "throughput[a] > throughput[b]", "throughput[b] > throughput[a]", 0,
			func(f figures) bool { return f.a > f.b }, func(f figures) bool { return math.Abs(f.a/f.b-1) < 0.05 }},
		{"throughput", "throughput[a] >= 1.5 * throughput[b]", "throughput[b] > throughput[a]", 0,
			func(f figures) bool { return f.a > f.b }, func(f figures) bool { return math.Abs(f.a/f.b-1) < 0.05 }},
		{"cpu", "cpu[a] / cpu[b] <= 0.5", "cpu[a] / cpu[b] > 1", inf,
			func(f figures) bool { return f.a < f.b }, func(f figures) bool { return math.Abs(f.a/f.b-1) < 0.05 }},
		{"cpu", "20us <= cpu[b] - cpu[a] <= 300us", "cpu[a] - cpu[b] > 0us", inf,
			func(f figures) bool { return f.b > f.a }, func(f figures) bool { return math.Abs(f.b-f.a) < 0.05*f.a }},
		{"cpu", "cpu[a] - cpu[b] > 10us", "cpu[b] - cpu[a] > 0us", inf,
			func(f figures) bool { return f.a > f.b }, func(f figures) bool { return math.Abs(f.b-f.a) < 0.05*f.b }},
		{"errors", "errors[a] - errors[b] > 1%", "errors[b] - errors[a] > 0%", 100,
			func(f figures) bool { return f.a > f.b }, func(f figures) bool { return math.Abs(f.b-f.a) <= 0.05*f.b }},
		{"errors", "errors[a] < 5%", "errors[a] >= 5%", 100,
			func(f figures) bool { return f.a < 5 }, func(figures) bool { return false }},
		{"cpu", "cpu[a] ~ 1 * cpu[b] +- 5%", "cpu[a] >= 2 * cpu[b]", inf,
			func(f figures) bool { return math.Abs(f.a/f.b-1) < 0.2 }, func(f figures) bool { return math.Abs(f.a/f.b-1) < 0.05 }},
	}
	confirmed := func(v Verdict) bool {
		return slices.Contains([]Verdict{Confirmed, AsPublished, AtLeast}, v)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[Verdict]int{}
	for range 4000 {
		c := cases[rng.IntN(len(cases))]
		blocks := 4 + rng.IntN(7)
		ratio, noise := []float64{0.3, 1, 1, 1.6, 4}[rng.IntN(5)], []float64{0.001, 0.05, 0.5}[rng.IntN(3)]
		share := []float64{0, 0.2, 0.5, 0.9}
		failing := [2]float64{share[rng.IntN(4)], share[rng.IntN(4)]}
		unknown := []float64{0, 0, 0.3}[rng.IntN(3)]
		failed := map[int][]bool{}
		var values [2][]float64
		for cell, level := range [2]float64{100, 100 / ratio} {
			if c.metric == "errors" {
				level /= 20
			}
			for range blocks {
				v, f := level*math.Exp(noise*rng.NormFloat64()), rng.Float64() < failing[cell]
				switch {
				case f:
					v = c.worst
				case rng.Float64() < unknown:
					v = math.NaN()
				}
				values[cell], failed[cell] = append(values[cell], v), append(failed[cell], f)
			}
		}
		src := single(values[0], values[1])
		src.failed = failed
		out, contrary := decide(src, c.text), decide(src, c.contrary)
		seen[out.Verdict]++
		say := func(what string) {
			t.Errorf("%s: %s of\na %v\nb %v:\n%s\n%s", what, c.text, values[0], values[1], describe(out), describe(contrary))
		}
		for _, one := range []Outcome{out, contrary} {
			if text, err := json.Marshal(one); err != nil {
				say(err.Error())
			} else if strings.Contains(string(text), "NaN") || strings.Contains(string(text), "Inf") {
				say("no words")
			}
		}
		known, held, near := 0, 0, 0
		for i := range blocks {
			f := figures{values[0][i], values[1][i]}
			if math.IsNaN(f.a) || !strings.Contains(c.text, "< 5%") && math.IsNaN(f.b) || failed[0][i] && failed[1][i] {
				continue // both have failed: neither is the better one, and the block is left out
			}
			known++
			if c.holds(f) {
				held++
			}
			if c.near(f) {
				near++
			}
		}
		if confirmed(out.Verdict) && confirmed(contrary.Verdict) {
			say("confirmed, and the contrary")
		}
		if c.metric == "errors" { // of a share in percent the mean counts, though it is that of few blocks
			continue
		}
		if confirmed(out.Verdict) && held*2 <= known {
			say("confirmed")
		}
		if out.Verdict == NoEffect && near*2 <= known {
			say("no effect")
		}
		if out.Verdict == Opposite && held*2 >= known {
			say("opposite")
		}
		if t.Failed() {
			return
		}
	}
	for _, v := range []Verdict{Confirmed, Undecided, Opposite, NoEffect, SizeRefuted} {
		if seen[v] == 0 {
			t.Errorf("no verdict was %s", v)
		}
	}
}
