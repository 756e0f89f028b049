package study

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"dyno.example/dyno/finding"
)

func TestUntil(t *testing.T) {
	s, err := Parse("s.yaml", []byte(minimal+"until: {time: 10m, precision: 2%, blocks: 30}\naccept: [drifting, steal]\n"), []string{"go/gin"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Until{Time: 10 * time.Minute, Precision: 0.02, Blocks: 30}); s.Until != want || !s.Until.Sequential() {
		t.Errorf("until %+v, want %+v", s.Until, want)
	}
	if !reflect.DeepEqual(s.Accept, []finding.Name{finding.Drifting, finding.Steal}) {
		t.Errorf("accept %q", s.Accept)
	}
	if (Until{}).Sequential() {
		t.Error("a study that doesn't ask for it goes on block by block")
	}
}

func TestUntilProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"no end", minimal + "until: {precision: 2%}\n",
			"s.yaml:3:8: until: until has neither time nor blocks, so that it may never end (add: time: 10m)"},
		{"precision of nothing", minimal + "until: {time: 1m, precision: 0%}\n",
			`s.yaml:3:30: until.precision: expected a share such as 2%, at most 50%, got "0%"`},
		{"accept a finding there is not", minimal + "accept: [driftng]\n",
			`s.yaml:3:10: accept[0]: "driftng" is not one of the choices (did you mean "drifting"?)`},
		{"accept what is no judgement", minimal + "accept: [trial-failed]\n",
			`s.yaml:3:10: accept[0]: "trial-failed" is not one of the choices (valid: generator-stalled, generator-full, generator-late, rate-missed, arrivals-off, generator-gc, steal, suspended, clock-step, shed, stream-limit, not-calibrated and ` + strconv.Itoa(len(finding.Acceptable())-12) + ` more)`},
	})
}

// A plan that grows block by block becomes the plan of so many blocks.
func TestPlanGrows(t *testing.T) {
	s := &Study{Subjects: []Subject{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Loads: []Load{{Name: "l"}}, Blocks: 5}
	whole, err := Expand(s, 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Blocks = 1
	p, err := Expand(s, 7)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if p, err = p.Grow(s); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(p.Trials, whole.Trials) {
		t.Errorf("grown\n%+v, want\n%+v", p.Trials, whole.Trials)
	}
}

func TestPlanRepeats(t *testing.T) {
	s := &Study{Subjects: []Subject{{Name: "a"}, {Name: "b"}}, Loads: []Load{{Name: "l"}}, Blocks: 2}
	p, err := Expand(s, 7)
	if err != nil {
		t.Fatal(err)
	}
	before := append([]PlannedTrial(nil), p.Trials...)
	grown, again := p.Repeat(0)
	if again.Index != 2 || again.Repeats == nil || *again.Repeats != 0 || again.Block != 0 || again.Cell != before[0].Cell || again.Seed != before[0].Seed {
		t.Errorf("repetition %+v of %+v", again, before[0])
	}
	for i, want := range []int{0, 1, 0, 2, 3} {
		got := grown.Trials[i]
		if got.Index != i || got.Block != before[want].Block || got.Cell != before[want].Cell {
			t.Errorf("trial %d is %+v, want that of %+v", i, got, before[want])
		}
	}
	if !reflect.DeepEqual(p.Trials, before) {
		t.Errorf("the plan given was changed: %+v", p.Trials)
	}
	last, again := grown.Repeat(4)
	if len(last.Trials) != 6 || again.Index != 5 || again.Block != 1 {
		t.Errorf("a repetition of the last trial: %+v", again)
	}
}
