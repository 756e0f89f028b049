package repetitions

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
)

// made is a run of two subjects whose restarts and seconds differ by so much.
func made(blocks, seconds int, between, within float64) *analysis.Analysis {
	random := rand.New(rand.NewPCG(1, 2))
	a := &analysis.Analysis{Groups: []analysis.Group{{}}}
	a.Run = archive.Manifest{ID: "made-up", Study: "made", Reference: "a", Duration: time.Duration(seconds) * time.Second, Warmup: time.Second}
	a.Run.Plan.Cells = make([]study.Cell, 2)
	a.Run.Started = time.Unix(1_000_000, 0)
	a.Run.Finished = a.Run.Started.Add(time.Duration(2*blocks) * (a.Run.Duration + 3*time.Second))
	trial := 0
	for _, subject := range []string{"a", "b"} {
		c := analysis.Cell{Subject: subject, Values: map[string][]float64{}}
		for block := range blocks {
			a.Run.Plan.Trials = append(a.Run.Plan.Trials, study.PlannedTrial{Index: trial, Block: block})
			start, sum := between*random.NormFloat64(), 0.0
			for i := range seconds {
				x := start + within*random.NormFloat64()
				sum += x
				c.Seconds = append(c.Seconds, analysis.Second{Trial: trial, Block: block, Index: i, Throughput: 1000 * math.Exp(x)})
			}
			// Neither counts: warming up, and invalid.
			c.Seconds = append(c.Seconds, analysis.Second{Trial: trial, Block: block, Index: -1, Throughput: 1}, analysis.Second{Trial: trial, Block: block, Index: seconds, Throughput: 1, Validity: finding.Invalid})
			c.Trials = append(c.Trials, trial)
			c.Values["throughput"] = append(c.Values["throughput"], 1000*math.Exp(sum/float64(seconds)))
			c.Values["rss"] = append(c.Values["rss"], 1000)
			trial++
		}
		a.Groups[0].Cells = append(a.Groups[0].Cells, c)
	}
	return a
}

var goal = Goal{Ratio: 1.03, Power: 0.9, Level: 0.95}

func near(got, want, tolerance float64) bool { return math.Abs(got/want-1) <= tolerance }

func TestOf(t *testing.T) {
	const between, within = 0.02, 0.04
	p := Of(made(400, 4, between, within), goal, []string{"throughput", "cpu", "rss"})
	if p.Blocks != 400 || p.Cells != 2 || p.Trial != 4*time.Second || p.Start != 3*time.Second || len(p.Needs) != 2 {
		t.Fatalf("%+v", p)
	}
	n := p.Needs[0]
	pair := math.Sqrt(2 * (between*between + within*within/4))
	if !near(n.Pair, pair, 0.1) || !near(n.Seconds.Within, within, 0.1) || !near(n.Seconds.Between, between, 0.15) {
		t.Errorf("differ by %.4f, restarts %.4f, seconds %.4f", n.Pair, n.Seconds.Between, n.Seconds.Within)
	}
	if want := stats.BlocksFor(1.03, n.Pair/math.Sqrt2, 0.95, 0.9); n.Needed != (Series{want, 4 * time.Second, time.Duration(2*want) * 7 * time.Second}) {
		t.Errorf("asked %+v, want %d blocks", n.Needed, want)
	}
	if n.Found <= 1 || n.Found >= 1.03 {
		t.Errorf("400 blocks find %.4f", n.Found)
	}
	// √(3/1)·0.04/0.02 is 3.5 seconds: four are about the best.
	if n.Better != nil {
		t.Errorf("better: %+v", n.Better)
	}
	if n := p.Needs[1]; n.Metric != "rss" || n.Pair != 0 || n.Found != 1 || n.Needed.Blocks != 2 || n.Seconds.Starts != 0 || n.Better != nil {
		t.Errorf("what never differs: %+v", n)
	}
}

// Seconds that differ much more than restarts call for longer trials, and the
// other way round.
func TestLengthOfTrials(t *testing.T) {
	for _, c := range []struct {
		name            string
		seconds         int
		between, within float64
		longer          bool
	}{
		{"seconds differ", 2, 0.002, 0.1, true},
		{"restarts differ", 30, 0.05, 0.005, false},
	} {
		p := Of(made(60, c.seconds, c.between, c.within), goal, []string{"throughput"})
		n := p.Needs[0]
		if n.Better == nil || n.Better.Trial > p.Trial != c.longer || n.Better.Takes >= n.Needed.Takes {
			t.Errorf("%s: %+v, better %+v", c.name, n.Needed, n.Better)
		}
	}
}

// A run of one subject tells how its trials differ; those of two are taken to be
// independent.
func TestOneSubject(t *testing.T) {
	a := made(400, 4, 0.02, 0)
	a.Groups[0].Cells = a.Groups[0].Cells[:1]
	n := Of(a, goal, []string{"throughput"}).Needs[0]
	if !near(n.Pair, 0.02*math.Sqrt2, 0.1) {
		t.Errorf("differ by %.4f", n.Pair)
	}
}

func TestTooLittle(t *testing.T) {
	if p := Of(made(1, 4, 0.1, 0.1), goal, []string{"throughput"}); len(p.Needs) != 0 {
		t.Errorf("of one block: %+v", p.Needs)
	}
	a := made(2, 4, 3, 0.1)
	a.Run.Finished = time.Time{}
	p := Of(a, goal, []string{"throughput"})
	if n := p.Needs[0]; n.Needed.Blocks != 0 || p.Start != time.Second {
		t.Errorf("what differs by its threefold: %+v, start %v", n.Needed, p.Start)
	}
	var out strings.Builder
	if err := p.Text(&out); err != nil || !strings.Contains(out.String(), "too many") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestText(t *testing.T) {
	var out strings.Builder
	if err := Of(made(60, 2, 0.002, 0.1), goal, []string{"throughput"}).Text(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"made, run made-up: 60 blocks of 2 cells, each measured for 2s, and 3s more for its start.\n",
		"To find a difference of 3.0 % in 90 % of the studies, at 95 % confidence:\n",
		"\nthroughput ", " blocks of ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
