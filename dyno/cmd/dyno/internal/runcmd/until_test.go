package runcmd

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
)

func TestApplyTo(t *testing.T) {
	s := &study.Study{Blocks: 6, Accept: []finding.Name{finding.Steal}}
	f := &runFlags{accept: []string{"drifting", "steal"}, duration: time.Minute, blocks: 9}
	if err := f.applyTo(s); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Accept, []finding.Name{finding.Drifting, finding.Steal}) || s.Blocks != 1 || s.Until != (study.Until{Time: time.Minute, Blocks: 9}) {
		t.Errorf("%+v", s)
	}
	s = &study.Study{Blocks: 6}
	if err := (&runFlags{}).applyTo(s); err != nil || s.Blocks != 6 || s.Until.Sequential() || !untilText(s.Until).IsZero() {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestUntilText(t *testing.T) {
	for want, u := range map[string]study.Until{
		"": {},
		"then block by block, at most 10m in all":                                                {Time: 10 * time.Minute},
		"then block by block, at most 30 blocks in all":                                          {Blocks: 30},
		"then block by block until intervals are within ±2 %, at most 30 blocks or 1m30s in all": {Time: 90 * time.Second, Blocks: 30, Precision: 0.02},
	} {
		if got := untilText(u); got.String() != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestBlocksNeeded(t *testing.T) {
	for _, c := range []struct {
		i     stats.Interval
		asked float64
		want  int
	}{
		{stats.Interval{N: 6, Estimate: 1, Low: 0.96, High: 1.04, Level: 0.95}, 0.02, 19},
		{stats.Interval{N: 6, Estimate: 1, Low: 0.99, High: 1.01, Level: 0.95}, 0.02, 0},
		{stats.Interval{N: 2, Estimate: 1, Low: 1e-9, High: 1e9, Level: 0.95}, 0.02, 0},
		{stats.Interval{N: 1, Estimate: 1, Low: 1, High: 1}, 0.02, 0},
		{stats.Interval{N: 2, Estimate: 1, Low: 1, High: 1, Level: 0.5}, 0.02, 0},
	} {
		half := halfWidth(c.i)
		if got := blocksNeeded(c.i, half, c.asked); math.Abs(float64(got-c.want)) > 1 {
			t.Errorf("%+v: ±%.3f, %d more blocks, want %d", c.i, half, got, c.want)
		}
		if text := widthText(half, c.asked); !strings.Contains(text.String(), "2 % asked") {
			t.Errorf("%q", text)
		}
	}
}

// An interval that nobody counts is said to be that wide, and no more.
func TestWidthBeyondCounting(t *testing.T) {
	if got := widthText(1e13, 0.02).String(); got != "over ±1000 %; ±2 % asked" {
		t.Error(got)
	}
}

// Two trials of a single subject that happen to be alike are not precise: their
// range encloses the median in every second case only.
func TestTwoTrialsAreNotPrecise(t *testing.T) {
	run := analysistest.Run(4, "a")
	run.Manifest.Until = study.Until{Time: time.Hour, Precision: 0.5}
	for blocks, want := range map[int]bool{2: false, 5: false, 6: true} {
		early := *run
		early.Trials = run.Trials[:blocks]
		early.Manifest.Plan.Trials = run.Manifest.Plan.Trials[:blocks]
		if p, err := decide(&early); err != nil || len(p.Goals) != 1 || p.Done() != want {
			t.Errorf("after %d blocks: %+v, %v", blocks, p, err)
		}
	}
}

// What is left to find out are the claims, and intervals that are still too wide.
func TestDecide(t *testing.T) {
	run := analysistest.Run(4, "a", "b", "c")
	run.Manifest.Until = study.Until{Time: time.Hour, Precision: 0.0001}
	run.Manifest.Claims = []claim.Claim{{ID: "cheaper", Expressions: []string{"cpu[a] < cpu[c]"}}}
	p, err := decide(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Goals) != 2 || p.Goals[0].Name != "claim cheaper" || p.Done() {
		t.Fatalf("%+v", p)
	}
	if g := p.Goals[1]; g.Name != "throughput, saturate, connections=64" || g.Done || g.Blocks == 0 {
		t.Errorf("%+v", g)
	}
	run.Manifest.Until.Precision = 0.5
	run.Manifest.Claims = nil
	if p, err = decide(run); err != nil || !p.Done() {
		t.Errorf("%+v, %v", p, err)
	}
}
