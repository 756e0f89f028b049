package regression

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/stats/statstest"
)

// sampledStarts draws the samples of starts whose requests cost so much in each stack, in
// µs. Each start's functions scatter a little by themselves.
func sampledStarts(r *rand.Rand, starts int, costs map[string]float64) (s Sampled) {
	const samples = 2000
	for _, us := range costs {
		s.Cost += 1e3 * us
	}
	for range starts {
		stacks := map[string]int{}
		for stack, us := range costs {
			expected := samples * 1e3 * us / s.Cost * math.Exp(0.03*r.NormFloat64())
			stacks[stack] = max(0, int(math.Round(expected+math.Sqrt(expected)*r.NormFloat64())))
		}
		s.Starts = append(s.Starts, sampled.Made(stacks))
	}
	return s
}

// The function into which a cost was injected is named, and nothing else is; cost that only
// moved is said to have.
func TestGrownFunctions(t *testing.T) {
	old := map[string]float64{
		"encode\nhandle\nserve": 4, "parse\nhandle\nserve": 3, "handle\nserve": 1, "read\nserve": 5, "[kernel]\nread\nserve": 6, "collect\nbackground": 1,
	}
	with := func(changes map[string]float64) map[string]float64 {
		changed := map[string]float64{}
		for stack, us := range old {
			changed[stack] = us
		}
		for stack, us := range changes {
			changed[stack] = us
		}
		return changed
	}
	for _, c := range []struct {
		name   string
		new    map[string]float64
		want   string // the first; empty: none
		within string
	}{
		{"one function grew", with(map[string]float64{"parse\nhandle\nserve": 4.2}), "parse", ""},
		{"a new one", with(map[string]float64{"hash\nhandle\nserve": 1.5}), "hash", ""},
		{"the kernel", with(map[string]float64{"[kernel]\nread\nserve": 8}), "[kernel]", ""},
		{"moved from one function to another", with(map[string]float64{"encode\nhandle\nserve": 1, "append\nhandle\nserve": 3}), "append", "handle"},
		{"nothing", old, "", ""},
	} {
		r := statstest.Seeded(1)
		var found, alone, within statstest.Rate
		for range 200 {
			list := GrownFunctions(sampledStarts(r, 5, old), sampledStarts(r, 5, c.new))
			if c.want == "" {
				found.Add(len(list) == 0)
				continue
			}
			found.Add(len(list) > 0 && list[0].Function == c.want)
			alone.Add(len(list) <= 1)
			within.Add(len(list) > 0 && list[0].Within == c.within)
		}
		if found.Share() < 0.93 || c.want != "" && (alone.Share() < 0.93 || within.Share() < 0.9) {
			t.Errorf("%s: found %s, nothing else %s, moved or not %s", c.name, found, alone, within)
		}
	}
}

// Few starts, or few samples, tell nothing. The sentence has the figures.
func TestGrownNeedsStarts(t *testing.T) {
	r := statstest.Seeded(1)
	old, new := sampledStarts(r, 3, map[string]float64{"a\nmain": 10, "b\nmain": 10}), sampledStarts(r, 3, map[string]float64{"a\nmain": 20, "b\nmain": 10})
	list := GrownFunctions(old, new)
	if len(list) != 1 || list[0].Function != "a" || math.Abs(list[0].More.Estimate-10e3) > 1500 {
		t.Fatalf("%+v", list)
	}
	if text := list[0].Message("s", "g").String(); !strings.HasPrefix(text, "s under g: a costs ") || !strings.Contains(text, " µs a request more (") {
		t.Error(text)
	}
	few := old
	few.Starts = few.Starts[:1]
	seldom := Sampled{Cost: 1, Starts: []*sampled.Process{sampled.Made(map[string]int{"a": 5}), sampled.Made(map[string]int{"a": 7})}}
	for _, pair := range [][2]Sampled{{few, new}, {old, seldom}, {}} {
		if list := GrownFunctions(pair[0], pair[1]); list != nil {
			t.Errorf("%+v", list)
		}
	}
}
