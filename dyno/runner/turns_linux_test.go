package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// account is a meter that asks such a subject.
type account struct {
	url  string
	last int64
}

func (a *account) Lap() (p probe.Process, err error) {
	n, err := a.spent()
	p.CPU, p.RSS, p.Processes, p.Threads = time.Duration(n-a.last), 1<<20, 1, 1
	a.last = n
	return p, err
}

func (a *account) Missing() []string { return nil }

func (a *account) Used() time.Duration {
	n, _ := a.spent()
	return time.Duration(n)
}

func (a *account) spent() (int64, error) {
	response, err := http.Get(a.url + "/spent")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}

func (a *account) Close() {}

// inTurns plans a study of subjects with such costs, by name.
func inTurns(t *testing.T, rounds, blocks int, costs ...string) *Runner {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	subjects := ""
	for i, cost := range costs {
		subjects += fmt.Sprintf("  - {name: %c, run: %q, ready: /, ready_within: 1m, env: {%s: %q, ONE_ONLY: %q, LOCK_TOKEN: hunter22}}\n", 'a'+i, self(t), costVariable, cost, free.Addr())
	}
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: turns
subjects:
%srequests: [{name: root, get: /}]
loads: [{name: saturate, closed: {connections: 3}}]
trial: {warmup: 100ms, duration: 1s, slices: {length: 20ms, rounds: %d}}
blocks: %d
twin: false
accept: [other-load, steal, generator-stalled, generator-full, subject-not-the-bottleneck]
`, subjects, rounds, blocks), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &Runner{
		KeepGoing: true, Study: s, Plan: plan, Command: []string{"dyno"}, Version: "test", StateDir: dir, Store: archive.Store{Dir: dir + "/runs"},
		meter: func(in *subject.Instance) meter { return &account{url: in.URL()} },
	}
}

// ratioOf is the ratio of the CPU time per request of two subjects, as the analysis of the
// archived run has it. On a machine that leaves no trial of it there is none.
func ratioOf(t *testing.T, run *archive.Run, subject string) stats.Interval {
	t.Helper()
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Groups[0].Cells {
		if c.Subject == subject {
			if c.Ratios["cpu"].N == 0 && !togetherUsable(run) {
				t.Skipf("a busy machine: in no block can all trials in slices be used: %+v", run.Trials[0].Findings)
			}
			if why := c.Omitted["cpu"]; c.Ratios["cpu"].N == 0 && heldUp(run) {
				t.Skipf("a busy machine: there are slices without a response, or void, and no ratio: %v", why)
			} else if c.Ratios["cpu"].N == 0 {
				t.Logf("no ratio: %v; reference: %v", why, a.Groups[0].Cells[0].Omitted["cpu"])
			}
			return c.Ratios["cpu"]
		}
	}
	t.Fatalf("no cell of %s", subject)
	return stats.Interval{}
}

// heldUp reports whether a slice was void, or had no response.
func heldUp(run *archive.Run) bool {
	return slices.ContainsFunc(run.Trials, func(t archive.Trial) bool {
		return t.Sliced != nil && (t.Sliced.Void > 0 || len(t.Slices) == 0 || slices.ContainsFunc(t.Slices, func(s archive.Slice) bool { return s.Requests == 0 }))
	})
}

// togetherUsable reports whether there is a block all of whose trials in slices can be used.
func togetherUsable(run *archive.Run) bool {
	spoilt, sliced := map[int]bool{}, map[int]bool{}
	for i := range run.Trials {
		if t := &run.Trials[i]; t.Sliced != nil {
			sliced[t.Block] = true
			spoilt[t.Block] = spoilt[t.Block] || !t.Usable()
		}
	}
	for block := range sliced {
		if !spoilt[block] {
			return true
		}
	}
	return false
}

// usersInTurns is how many requests are under way in a slice of theirs.
const usersInTurns = 3

// edgesOf is how much the ratio of a subject's cost to the first one's may be off, as a share:
// at either end of a slice some requests are under way, whose cost is in it and which aren't
// counted, or the other way round.
func edgesOf(run *archive.Run, cells ...int) (off float64) {
	for _, cell := range append(cells, 0) {
		trials, sum := 0.0, 0.0
		for _, trial := range run.Trials {
			if trial.Cell != cell || len(trial.Slices) == 0 {
				continue
			}
			requests := 0.0
			for _, s := range trial.Slices {
				requests += float64(s.Requests)
			}
			trials, sum = trials+1, sum+usersInTurns*float64(len(trial.Slices))/max(requests, 1)
		}
		off += 1.1 * sum / max(trials, 1) // blocks are averaged with equal weights
	}
	return off
}

// A subject that costs 5 % more is found to cost 5 % more: what is lost or taken double at the
// edges of slices is no more than what is under way there, whatever the order.
func TestTurnsFindTheCost(t *testing.T) {
	t.Parallel()
	archived := run(t, inTurns(t, 12, 2, "100000", "105000", "100000"))
	if b, c := ratioOf(t, archived, "b").Estimate, ratioOf(t, archived, "c").Estimate; math.Abs(b-1.05) > edgesOf(archived, 1) || math.Abs(c-1) > edgesOf(archived, 2) {
		t.Errorf("ratios %v and %v, want 1.05 and 1", b, c)
	}
	parts, without := 0, 0
	first := map[int]int{} // trials by how often they were first in a round
	for _, trial := range archived.Trials {
		if trial.Sliced == nil || turnsOf(&trial) != 12 || trial.Sliced.Arms != 3 {
			t.Fatalf("trial %d: %+v with %d slices", trial.Index, trial.Sliced, len(trial.Slices))
		}
		before, cost := -1, []int64{100000, 105000, 100000}[trial.Cell]
		for _, s := range trial.Slices {
			if off := int64(s.CPU) - cost*int64(s.Requests); max(off, -off) > usersInTurns*cost {
				t.Errorf("trial %d: slice %+v is off by more than what can be under way", trial.Index, s)
			}
			if off := int64(s.FirstCPU) - cost*int64(s.FirstRequests); s.FirstRequests > 0 && max(off, -off) > usersInTurns*cost {
				t.Errorf("trial %d: the first part of slice %+v is off by more than what can be under way", trial.Index, s)
			}
			if s.FirstRequests > 0 {
				parts++
			} else if s.Requests >= 120 { // of fewer a busy machine may leave its first half too few
				without++
			}
			rising, opens := s.Round > before, s.Idle == 0
			before = s.Round
			if !rising || opens != (s.Round == 0) || s.Failed > 0 || s.Speed <= 0 || s.Length < 20*time.Millisecond {
				t.Errorf("trial %d: slice %+v", trial.Index, s)
			}
			if trial.Block == 0 && firstOf(archived, 0, s.Round) == trial.Index {
				first[trial.Index]++
			}
		}
		for _, f := range trial.Findings {
			if f.Name == finding.BusyBeside || f.Name == finding.MeasuredAlone {
				t.Errorf("trial %d: %s: %s", trial.Index, f.Name, f.Detail)
			}
		}
	}
	if len(first) < 2 {
		t.Errorf("always the same one was first: %v", first)
	}
	if parts == 0 && without > 5 {
		t.Errorf("none of %d slices knows what its first part cost", without)
	}
}

// turnsOf is how many turns it had, those in which the generator was stopped included.
func turnsOf(trial *archive.Trial) int {
	if trial.Sliced == nil {
		return 0
	}
	return len(trial.Slices) + trial.Sliced.Void
}

// firstOf is the trial whose slice was first in a round.
func firstOf(run *archive.Run, block, round int) (index int) {
	at := int64(math.MaxInt64)
	for _, trial := range run.Trials {
		for _, s := range trial.Slices {
			if trial.Block == block && s.Round == round && s.Start < at {
				index, at = trial.Index, s.Start
			}
		}
	}
	return index
}

// A machine whose speed changes by a third every two seconds, for all alike, changes no
// ratio, and is nothing against the trials.
func TestTurnsOnAMachineOfTwoSpeeds(t *testing.T) {
	t.Parallel()
	archived := run(t, inTurns(t, 60, 2, "100000,shifts", "105000,shifts"))
	// Where rounds take as long as the machine's states, the interval says so.
	if got := ratioOf(t, archived, "b"); math.Abs(got.Estimate-1.05) > max(0.02, got.High-got.Low) {
		t.Errorf("ratio %+v, want 1.05", got)
	}
	for _, trial := range archived.Trials {
		low, high := math.Inf(1), 0.0
		for _, s := range trial.Slices {
			cost := float64(s.CPU) / float64(s.Requests)
			low, high = min(low, cost), max(high, cost)
		}
		if high < 1.2*low && trial.Sliced.Void < len(trial.Slices) { // else one state may be in none that counts
			t.Errorf("trial %d saw one speed only", trial.Index)
		}
		if trial.Validity != finding.Valid {
			t.Errorf("trial %d is %s: %v", trial.Index, trial.Validity, trial.Findings)
		}
	}
}

// One that is busy while others have the load is named, and so is what it can have changed of
// theirs; where that is much it is measured alone.
func TestTurnsBesideABusyOne(t *testing.T) {
	t.Parallel()
	archived := run(t, inTurns(t, 25, 1, "100000", "100000,wakes", "100000,burns"))
	for _, trial := range archived.Trials {
		var says []string
		for _, f := range trial.Findings {
			if f.Name == finding.BusyBeside || f.Name == finding.MeasuredAlone {
				says = append(says, fmt.Sprint(f.Validity, " ", f.Name, " ", f.Detail))
			}
		}
		all := strings.Join(says, "\n")
		wants := map[string][]string{
			"a": {"VALID busy-beside while it had the load the others used"},
			"b": {"SUSPECT busy-beside it used ", "while it had the load"},
			"c": {"SUSPECT measured-alone", " % of a CPU"},
		}[archived.Manifest.Plan.Cells[trial.Cell].Subject]
		for _, want := range wants {
			if !strings.Contains(strings.ToLower(all), strings.ToLower(want)) {
				t.Errorf("cell %d says %q, want %q", trial.Cell, all, want)
			}
		}
		if alone := trial.Sliced == nil; alone != (trial.Cell == 2) {
			t.Errorf("cell %d was measured alone: %v", trial.Cell, alone)
		}
	}
}

// inTurnsBut is a run in which all cells but one took turns. Where others keep the CPUs busy one may come to be
// measured alone, by any of the reasons there are for it; so it is tried three times.
func inTurnsBut(t *testing.T, cell int, r *Runner) *archive.Run {
	t.Helper()
	for attempt := 1; ; attempt++ {
		archived := archivedBy(t, r)
		alone := slices.IndexFunc(archived.Trials, func(trial archive.Trial) bool { return trial.Cell != cell && trial.Sliced == nil })
		if alone < 0 || attempt == 3 {
			return archived
		}
		t.Logf("once more, as cell %d was measured alone: %v", archived.Trials[alone].Cell, archived.Trials[alone].Findings)
	}
}

// One that dies in the middle is a result, in that block; the others go on to the end.
func TestTurnsWithOneThatDies(t *testing.T) {
	t.Parallel()
	archived := inTurnsBut(t, 1, inTurns(t, 25, 1, "100000", "100000,dies", "105000"))
	for _, trial := range archived.Trials {
		switch dies := trial.Cell == 1; {
		case dies && (trial.Status != archive.Failed || trial.Fault != archive.OfSubject || turnsOf(&trial) == 25):
			t.Errorf("the one that died is %s (%s) with %d slices: %s", trial.Status, trial.Fault, len(trial.Slices), trial.Error)
		case !dies && (trial.Status != archive.Complete || turnsOf(&trial) != 25):
			t.Errorf("cell %d is %s with %d slices: %s; %v", trial.Cell, trial.Status, len(trial.Slices), trial.Error, trial.Findings)
		}
	}
	if got := ratioOf(t, archived, "c").Estimate; math.Abs(got-1.05) > edgesOf(archived, 2) {
		t.Errorf("ratio %v next to one that died", got)
	}
}

// Of programs that there can be only one of, the second is measured alone, with the reason, in which secrets that it prints
// are hidden.
func TestTurnsOfWhatCantLiveTogether(t *testing.T) {
	t.Parallel()
	for word, why := range map[string]string{"one-only": "port", "locks": "another one has the lock ***"} {
		archived := run(t, inTurns(t, 10, 1, "100000,"+word, "105000,"+word, "100000"))
		alone := 0
		for _, trial := range archived.Trials {
			if trial.Sliced != nil {
				continue
			}
			alone++
			if trial.Status != archive.Complete || !slices.ContainsFunc(trial.Findings, func(f finding.Finding) bool {
				return f.Name == finding.MeasuredAlone && strings.Contains(f.Detail.String(), why)
			}) {
				t.Errorf("%s: cell %d alone is %s: %v", word, trial.Cell, trial.Status, trial.Findings)
			}
		}
		if alone != 1 {
			t.Errorf("%s: %d were measured alone", word, alone)
		}
	}
}

// Interrupted in the middle of a block, nothing is left of any of its subjects, and all that
// was measured is archived.
func TestTurnsInterrupted(t *testing.T) {
	t.Parallel()
	r := inTurns(t, 1000, 1, "100000", "100000", "100000")
	var pids []int
	r.meter = func(in *subject.Instance) meter {
		pids = append(pids, in.PID())
		return newTreeMeter(in)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r.Observe = func(e Event) {
		if e.Kind == WindowDone {
			cancel(why)
		}
	}
	id, err := r.Run(ctx)
	if !errors.Is(err, why) {
		t.Errorf("%v, want the cause", err)
	}
	archived, err := r.Store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range archived.Trials {
		if trial.Status != archive.Interrupted || len(trial.Slices) == 0 {
			t.Errorf("trial %d is %s with %d slices", trial.Index, trial.Status, len(trial.Slices))
		}
	}
	if len(pids) != 3 {
		t.Fatalf("%d were up", len(pids))
	}
	for _, pid := range pids {
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err == nil {
			t.Errorf("process %d is there still", pid)
		}
	}
}
