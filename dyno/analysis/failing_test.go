package analysis_test

import (
	"slices"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
)

// each changes all windows of b's trials.
func each(change func(w *archive.Window)) func(*archive.Trial) {
	return func(t *archive.Trial) {
		for i := range t.Windows {
			change(&t.Windows[i])
		}
	}
}

// A subject that responds wrongly has no rank among the others, and keeps its figures; one
// that fails more than others is reported, however little that is.
func TestWhoMisservesIsTold(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5}
	for name, c := range map[string]struct {
		wrong           func(*archive.Trial)
		ranked, wrongly bool
		failsMore       bool
	}{
		"nothing":         {each(func(*archive.Window) {}), true, false, false},
		"wrong responses": {each(func(w *archive.Window) { w.Client.Errors.Expect += w.Client.Completed / 99 }), false, true, true},
		"broken bodies":   {each(func(w *archive.Window) { w.Client.Errors.Body += w.Client.Completed / 99 }), false, true, true},
		"a few 500s":      {each(func(w *archive.Window) { w.Client.Errors.Status += w.Client.Completed / 250 }), true, false, true},
		"a few without":   {each(func(w *archive.Window) { w.Client.Unfinished += w.Client.Completed / 250 }), true, false, true},
	} {
		a := analyse(t, failing(c.wrong, all...))
		g := &a.Groups[0]
		b := g.Cells[2]
		ranked := slices.ContainsFunc(g.Ranking["throughput"], func(p analysis.Place) bool { return p.Cell == 2 })
		if ranked != c.ranked || (b.Wrong > 0) != c.wrongly || b.FailsMore != c.failsMore || b.Estimates["throughput"].N == 0 {
			t.Errorf("%s: ranked %v, wrong %g, fails more %v, throughput %+v", name, ranked, b.Wrong, b.FailsMore, b.Estimates["throughput"])
		}
		if g.Cells[0].FailsMore || len(g.Ranking["throughput"]) < 2 {
			t.Errorf("%s: a fails more: %v, ranking %+v", name, g.Cells[0].FailsMore, g.Ranking["throughput"])
		}
	}
}

// One failure more than another's is chance.
func TestOneFailureIsChance(t *testing.T) {
	once := func(trial *archive.Trial) { trial.Windows[3].Client.Errors.Status++ }
	if a := analyse(t, failing(once, 0)); a.Groups[0].Cells[2].FailsMore {
		t.Error("one failure is more than by chance")
	}
}

// One pair of the A/A comparison has no interval, and so says nothing of the noise.
func TestOnePairIsNoNoise(t *testing.T) {
	pair := stats.Interval{N: 1, Estimate: 0.98, Low: 0.98, High: 0.98}
	g := analysis.Group{Twin: map[string]stats.Interval{"cpu": pair}}
	if share, ok := g.Noise("cpu"); ok {
		t.Errorf("noise of %g by one pair", share)
	}
	if g.InNoise("cpu", 0.99) {
		t.Error("a difference is within the noise of one pair")
	}
}

// A process that stays alive next to the one that serves has no figures that are the server's.
func TestProcessThatDoesNotServe(t *testing.T) {
	run := analysistest.Run(1, "a", "b")
	for i := range run.Trials {
		if trial := &run.Trials[i]; trial.Cell == 1 {
			each(func(w *archive.Window) {
				if p := w.Server.Process; p != nil {
					p.CPU, p.CPUUser, p.CPUSys, p.RSS, p.OpenFiles, p.Threads = 0, 0, 0, 1<<20, 5, 1
				}
			})(trial)
		}
	}
	b := analyse(t, run).Groups[0].Cells[1]
	for _, metric := range []string{"cpu", "rss", "threads", "open_files", "switches", "preemptions", "run_queue"} {
		if e := b.Estimates[metric]; e.N > 0 {
			t.Errorf("%s of a process that does not serve: %+v", metric, e)
		}
	}
	if b.Estimates["throughput"].N == 0 {
		t.Error("no throughput")
	}
}
