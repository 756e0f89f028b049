package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// newRunner plans a study of a service that is up, with as many trials of one
// second.
func newRunner(t *testing.T, url string, blocks int) *Runner {
	t.Helper()
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: test
subjects: [{name: up, url: %q}]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 200, connections: 2}}]
trial: {warmup: 0s, duration: 1s}
blocks: %d
`, url, blocks), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &Runner{KeepGoing: true, Study: s, Plan: plan, Command: []string{"dyno", "run", "test.yaml"}, Version: "test", StateDir: dir, Store: archive.Store{Dir: dir + "/runs"}}
}

func server(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func respond(http.ResponseWriter, *http.Request) {}

func TestRun(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, respond), 1)
	var kinds []Kind
	r.Observe = func(e Event) {
		if e.Kind != Busy { // others may be
			kinds = append(kinds, e.Kind)
		}
		if e.Total != 1 || e.Time.IsZero() {
			t.Errorf("%s: %d trials, at %v", e.Kind, e.Total, e.Time)
		}
	}
	id, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{Building, Built, Checking, Checked, Begun, TrialStarted, WindowDone, TrialFinished, Finished}
	if got := slices.Compact(kinds); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	run, err := r.Store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	m := &run.Manifest
	if m.Status != archive.Complete || m.Study != "test" || m.Reference != "up" || len(m.Subjects) != 1 || m.Subjects[0].URL == "" || m.Finished.IsZero() {
		t.Errorf("manifest %+v", m)
	}
	if len(run.Trials) != 1 || run.Trials[0].Status != archive.Complete || len(run.Trials[0].Windows) == 0 || run.Trials[0].Engine == "" {
		t.Fatalf("trials %+v", run.Trials)
	}
	w := run.Trials[0].Windows[0]
	if w.Client.Completed == 0 {
		t.Error("no responses")
	}
	if w.Server.Process != nil {
		t.Error("figures of a process, of a service that is not ours")
	}
}

func TestRunRefusesAWrongResponse(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), 1)
	id, err := r.Run(t.Context())
	if id != "" || err == nil || !strings.Contains(err.Error(), "subject up") || !strings.Contains(err.Error(), "418") {
		t.Errorf("run %q, %v", id, err)
	}
	if _, err := os.Stat(r.Store.Dir); err == nil {
		t.Error("a run was archived")
	}
}

func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, respond), 50)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r.Observe = func(e Event) {
		if e.Kind == TrialStarted && e.Done == 1 {
			cancel(why)
		}
	}
	id, err := r.Run(ctx)
	if !errors.Is(err, why) {
		t.Errorf("%v, want the cause", err)
	}
	run, err := r.Store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	var status []archive.Status
	for _, trial := range run.Trials {
		status = append(status, trial.Status)
	}
	if want := []archive.Status{archive.Complete, archive.Interrupted}; !slices.Equal(status, want) || run.Manifest.Status != archive.Interrupted {
		t.Errorf("run %s with trials %q, want %q", run.Manifest.Status, status, want)
	}
}

// No trial follows the last one that would find out.
func TestRunInterruptedInItsLastTrial(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, respond), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r.Observe = func(e Event) {
		if e.Kind == TrialStarted {
			cancel(why)
		}
	}
	id, err := r.Run(ctx)
	if !errors.Is(err, why) {
		t.Errorf("%v, want the cause", err)
	}
	if run, err := r.Store.Open(id); err != nil || run.Manifest.Status != archive.Interrupted {
		t.Errorf("%+v, %v", run, err)
	}
}

// An interruption hides nothing that is left behind.
func TestAnInterruptedTrialSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, respond), 1)
	file := fakeSetting(t, r, "60")
	r.Plan.Cells[0].Kernel = map[string]string{"vm.swappiness": "7"}
	ctx, cancel := context.WithCancel(t.Context())
	r.Observe = func(e Event) {
		if e.Kind == WindowDone {
			if err := os.WriteFile(file, []byte("33\n"), 0o644); err != nil { // somebody else does
				t.Error(err)
			}
			cancel()
		}
	}
	id, err := r.Run(ctx)
	if err == nil {
		t.Error("no error")
	}
	run, err := r.Store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	if trial := run.Trials[0]; trial.Status != archive.Interrupted || !strings.Contains(trial.Error.String(), "vm.swappiness was not put back to 60") {
		t.Errorf("trial %s: %s", trial.Status, trial.Error)
	}
}

// A run that goes on until its time is up does not fill it with failures.
func TestARunOfFailuresEnds(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	r := newRunner(t, server(t, func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			w.WriteHeader(http.StatusTeapot)
		}
	}), 1)
	r.Study.Until = study.Until{Time: time.Hour}
	r.Observe = func(e Event) {
		if e.Kind == Begun {
			broken.Store(true)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	id, err := r.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "failed one after the other") {
		t.Errorf("%v", err)
	}
	run, err := r.Store.Open(id)
	if err != nil || run.Manifest.Status != archive.Failed || len(run.Trials) != leastBlocks {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestRunInterruptedBeforeItsTrials(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, respond), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if id, err := r.Run(ctx); id != "" || err == nil {
		t.Errorf("run %q, %v; want an error and no run", id, err)
	}
}

// What a killed run leaves in its folder is gone with the next, which leaves none.
func TestScratchIsClearedAway(t *testing.T) {
	t.Parallel()
	r := newRunner(t, server(t, respond), 1)
	key := filepath.Join(r.StateDir, "scratch", "tls-1", "key.pem")
	if err := errors.Join(os.MkdirAll(filepath.Dir(key), 0o700), os.WriteFile(key, []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	r.Observe = func(e Event) {
		if _, err := os.Stat(key); e.Kind == Begun && err == nil {
			t.Error("the key of an earlier run is still there")
		}
	}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.StateDir, "scratch")); err == nil {
		t.Error("the folder is left behind")
	}
}

// A trial that fails does not end the run.
func TestRunGoesOnAfterAFailedTrial(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	r := newRunner(t, server(t, func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			w.WriteHeader(http.StatusTeapot)
		}
	}), 2)
	started := 0
	r.Observe = func(e Event) {
		if e.Kind == TrialStarted {
			started++
			broken.Store(started == 1)
		}
	}
	run := archivedBy(t, r)
	first, second := run.Trials[0], run.Trials[1]
	if first.Status != archive.Failed || !strings.Contains(first.Error.String(), "418") || second.Status != archive.Complete || run.Manifest.Status != archive.Complete {
		t.Errorf("run %s: first trial %s (%s), second %s", run.Manifest.Status, first.Status, first.Error, second.Status)
	}
}

func TestOneRunAtATime(t *testing.T) {
	dir := t.TempDir()
	first, err := lockMachine(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lockMachine(dir)
	if want := fmt.Sprintf("(process %d)", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want who has the lock: %s", err, want)
	}
	first.release()
	second, err := lockMachine(dir)
	if err != nil {
		t.Fatalf("the lock was let go, but: %v", err)
	}
	second.release()
}

func TestRemaining(t *testing.T) {
	r := &pace{total: 10, estimate: time.Hour}
	if got := r.remaining(); got != time.Hour {
		t.Errorf("before the first trial %v, want the plan's estimate", got)
	}
	r.done, r.began = 4, time.Now().Add(-40*time.Second)
	if got := r.remaining().Round(10 * time.Second); got != 60*time.Second {
		t.Errorf("after 4 of 10 trials in 40 s: %v, want 60 s", got)
	}
	r.done = 10
	if got := r.remaining(); got != 0 {
		t.Errorf("at the end: %v", got)
	}
}

// Of a run that goes on block by block there is time left as long as a block may follow,
// whatever was foreseen, and none once it has ended.
func TestRemainingBlocks(t *testing.T) {
	const block = 40 * time.Second
	for _, c := range []struct {
		name  string
		until study.Until
		takes time.Duration // a block, in truth
		goal  int           // more blocks that the goal is said to take; 0: not known
	}{
		{"as foreseen", study.Until{Precision: 0.02, Blocks: 8}, block, 0},
		{"much slower than foreseen", study.Until{Precision: 0.02, Blocks: 8}, 5 * block, 0},
		{"nearly there, so it is said", study.Until{Precision: 0.02, Blocks: 8}, block, 1},
		{"by time", study.Until{Precision: 0.02, Time: 8*block + block/2}, block, 0},
	} {
		p := &pace{until: c.until, foreseen: study.Ahead{Least: 3, Most: 8, Block: block}, total: 11}
		p.begin()
		if got := p.remaining(); got < 7*block || got > 9*block {
			t.Errorf("%s: %v left of 8 blocks of %v", c.name, got, block)
		}
		pass := func(d time.Duration) { // as if so much later
			p.began, p.estimated = p.began.Add(-d), p.estimated.Add(-d)
		}
		goals := &Progress{Goals: []Goal{{Name: "intervals", Blocks: c.goal}}}
		for n := 1; n <= 8; n++ {
			pass(c.takes)
			for p.done < p.total { // turns end together
				p.done++
				if got := p.remaining(); n < 8 && got < block/2 {
					t.Errorf("%s: %v left after %d trials, in block %d of 8", c.name, got, p.done, n)
				}
			}
			end := p.end(goals, n)
			switch got := p.remaining(); {
			case n == 8 && (end == "" || got != 0):
				t.Errorf("%s: ended as %q after 8 blocks, %v left", c.name, end, got)
			case n < 8 && (end != "" || got < c.takes-time.Second):
				t.Errorf("%s: %q, %v left after block %d of 8", c.name, end, got, n)
			}
			p.total += 11
		}
	}
}

func TestMerged(t *testing.T) {
	base := map[string]string{"A": "1", "B": "1"}
	got := merged(base, nil, map[string]string{"B": "2", "C": "2"})
	if len(got) != 3 || got["A"] != "1" || got["B"] != "2" || got["C"] != "2" || base["B"] != "1" {
		t.Errorf("merged %v; base %v", got, base)
	}
}
