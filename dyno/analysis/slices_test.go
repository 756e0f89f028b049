package analysis_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
)

// slicedRun is one with its first so many blocks, in which the second of two subjects costs 5 % more in
// each round, on a machine that is a third slower in every other block and in half of each.
func slicedRun(blocks int) *archive.Run {
	run := analysistest.Run(3, "a", "b")
	run.Trials = slices.DeleteFunc(run.Trials, func(t archive.Trial) bool { return t.Block >= blocks })
	const rounds = 40
	for i := range run.Trials {
		t := &run.Trials[i]
		t.Sliced = &archive.Sliced{Length: 100 * time.Millisecond, Rounds: rounds, Arms: 2}
		cost := map[string]float64{"a": 20e3, "b": 21e3}[run.Manifest.Plan.Cells[t.Cell].Subject]
		var all uint64
		var cpu time.Duration
		for round := range rounds {
			speed := 1.0
			if (round < rounds/2) != (t.Block%2 == 0) {
				speed = 4.0 / 3
			}
			n := uint64(100 + 7*round%13)
			s := archive.Slice{Round: round, Start: int64(round+1) * 1e9, Length: 1e8, Requests: n, CPU: time.Duration(float64(n) * cost * speed)}
			t.Slices = append(t.Slices, s)
			all, cpu = all+n, cpu+s.CPU
		}
		shareOut(t, all, cpu)
	}
	return run
}

// shareOut gives a trial's windows the CPU time of its slices.
func shareOut(t *archive.Trial, requests uint64, cpu time.Duration) {
	completed := uint64(0)
	for i := range t.Windows {
		completed += t.Windows[i].Client.Completed + t.Windows[i].Client.Drained
	}
	for i := range t.Windows {
		w := &t.Windows[i]
		if w.Server.Process == nil {
			continue
		}
		n := w.Client.Completed + w.Client.Drained
		w.Server.Process.CPU = time.Duration(float64(cpu) / float64(requests) * float64(n))
	}
}

// The ratio of subjects that took turns is what they cost, whatever the machine's speed was,
// by blocks as by rounds; the group says that it was measured in slices. One trial of the run is invalid.
func TestSubjectsThatTookTurns(t *testing.T) {
	a, err := analysis.Analyse(slicedRun(analysistest.Blocks))
	if err != nil {
		t.Fatal(err)
	}
	g := &a.Groups[0]
	if g.Slices == nil || g.Slices.Rounds != 40 || g.Slices.Length != 100*time.Millisecond || g.Slices.Whole != 0 || g.Slices.Trials != 2*analysistest.Blocks-1 {
		t.Errorf("slices %+v", g.Slices)
	}
	for _, c := range g.Cells {
		if c.Subject == "a" {
			if c.Turns != nil {
				t.Error("the reference has a ratio to itself")
			}
			continue
		}
		if math.Abs(c.Ratios["cpu"].Estimate-1.05) > 1e-4 || c.Turns == nil || math.Abs(c.Turns.Ratio.Estimate-1.05) > 1e-4 || c.Turns.Ratio.N != analysistest.Blocks-1 || c.Turns.Rounds.N != 40*(analysistest.Blocks-1) {
			t.Errorf("%s: %+v, %+v", c.Subject, c.Ratios["cpu"], c.Turns)
		}
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

// A single block has a ratio and no interval, and can be written.
func TestTurnsOfOneBlock(t *testing.T) {
	run := slicedRun(1)
	run.Trials[0].Slices = run.Trials[0].Slices[:30] // it died, or the generator was stopped
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
	for _, c := range a.Groups[0].Cells {
		if c.Turns != nil && c.Turns.Ratio.Level != 0 {
			t.Errorf("%+v", c.Turns)
		}
	}
}

// Where some were measured alone the group says so, and those have no rounds.
func TestSomeAlone(t *testing.T) {
	run := slicedRun(3)
	for i := range run.Trials {
		if trial := &run.Trials[i]; run.Manifest.Plan.Cells[trial.Cell].Subject == "b" && trial.Block == 1 {
			trial.Sliced, trial.Slices = nil, nil
		}
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if s := a.Groups[0].Slices; s == nil || s.Whole != 1 {
		t.Errorf("%+v", s)
	}
	for i := range a.Groups[0].Cells {
		cell := &a.Groups[0].Cells[i]
		for _, trial := range cell.Trials {
			want := analysis.OriginTrial
			if run.Trials[trial].Sliced != nil {
				want = analysis.OriginSlices
			}
			if got := cell.Origin(trial, "cpu"); got != want {
				t.Errorf("%s in trial %d: CPU time from %s, want %s", cell.Subject, trial, got, want)
			}
			if got := cell.Origin(trial, "start"); got != analysis.OriginStart {
				t.Errorf("%s in trial %d: its start from %s", cell.Subject, trial, got)
			}
		}
	}
}

// restlessRun is one of eight subjects that took turns in random order on a machine that
// changes within a block, and of which d costs 10 % more.
func restlessRun() *archive.Run {
	run := analysistest.Run(3, "a", "b", "c", "d", "e", "f", "g", "h")
	const rounds = 40
	random := rand.New(rand.NewPCG(1, 2))
	byBlock := map[int][]*archive.Trial{}
	for i := range run.Trials {
		t := &run.Trials[i]
		t.Sliced = &archive.Sliced{Length: 100 * time.Millisecond, Rounds: rounds, Arms: 8}
		byBlock[t.Block] = append(byBlock[t.Block], t)
	}
	for block := range len(byBlock) {
		slow, at := 0.0, int64(1e9)
		cpu, all := map[*archive.Trial]time.Duration{}, map[*archive.Trial]uint64{}
		for round := range rounds {
			for _, i := range random.Perm(len(byBlock[block])) {
				t := byBlock[block][i]
				cost := map[string]float64{"d": 22e3}[run.Manifest.Plan.Cells[t.Cell].Subject]
				slow = 0.9*slow + 0.07*random.NormFloat64()
				s := archive.Slice{Round: round, Start: at, Length: 1e8, CPU: 1e8}
				s.Requests = uint64(1e8 / (max(cost, 20e3) * math.Exp(slow)))
				t.Slices = append(t.Slices, s)
				at, cpu[t], all[t] = at+2e8, cpu[t]+s.CPU, all[t]+s.Requests
			}
		}
		for _, t := range byBlock[block] {
			shareOut(t, all[t], cpu[t])
		}
	}
	return run
}

// On a machine that is never the same for long, what the slices next to its own explain is taken
// out of each subject's CPU time: its ratio is found, and more surely than by sums alone.
func TestNeighboursSteadyValues(t *testing.T) {
	run := restlessRun()
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Groups[0].Slices.CPU; !n.Used || n.Explains < 0.3 {
		t.Fatalf("%+v", n)
	}
	for i := range run.Trials {
		for j := range run.Trials[i].Slices { // far apart in time, they are no neighbours in the same state …
			run.Trials[i].Slices[j].Start = int64(run.Trials[i].Cell)*1e12 + int64(j)*1e9 // … but of the same subject
		}
	}
	sums, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if n := sums.Groups[0].Slices.CPU; n.Used {
		t.Fatalf("of slices in no order %+v", n)
	}
	width := func(a *analysis.Analysis) (sum float64) {
		for _, c := range a.Groups[0].Cells {
			want := 1.0
			if c.Subject == "d" {
				want = 1.1
			}
			if ratio := c.Ratios["cpu"]; c.Subject != "a" && ratio.N > 0 {
				if math.Abs(ratio.Estimate/want-1) > 0.04 {
					t.Errorf("%s: %+v", c.Subject, ratio)
				}
				sum += math.Log(ratio.High / ratio.Low)
			}
		}
		return sum
	}
	if with, without := width(a), width(sums); with > 0.8*without {
		t.Errorf("%.4f with the neighbours, %.4f without", with, without)
	}
}
