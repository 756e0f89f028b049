package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
)

// onAService plans a study in slices of two subjects whose service works so long for each.
func onAService(t *testing.T, load string, works ...int) *Runner {
	t.Helper()
	r := inTurns(t, 12, 1, "1", "1")
	subjects := ""
	for i, µs := range works {
		subjects += fmt.Sprintf("  - {name: %c, run: %q, ready: /, ready_within: 1m, env: {%s: \"%d\"}}\n", 'a'+i, self(t), workVariable, µs)
	}
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: beneath
subjects:
%sservices: [{name: work, run: %q, as: WORK_URL, ready: /0, ready_within: 1m, env: {%s: service}}]
requests: [{name: root, get: /}]
loads: [%s]
trial: {warmup: 100ms, duration: 1s, slices: {length: 50ms, rounds: 12}}
blocks: 1
twin: false
accept: [other-load, steal, generator-stalled, generator-full, subject-not-the-bottleneck]
`, subjects, self(t), workVariable, load), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan, err = study.Expand(s, 1); err != nil {
		t.Fatal(err)
	}
	r.Study, r.meter = s, nil
	return r
}

// servicesUnder are those of a subject's cell.
func servicesUnder(t *testing.T, run *archive.Run, subject string) analysis.Service {
	t.Helper()
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Groups[0].Cells {
		if c.Subject == subject && len(c.Services) == 1 && c.Services[0].PerRequest != nil {
			return c.Services[0]
		}
	}
	t.Fatalf("no service of %s: %+v", subject, a.Groups[0].Cells)
	return analysis.Service{}
}

// A service that works 4 ms of CPU for a request of one subject and 0.2 ms for one of the other,
// which take turns, is found to have done so: what it takes to serve a request at all is the
// same under both.
func TestServiceOfTurns(t *testing.T) {
	t.Parallel()
	for name, load := range map[string]string{"cut": "{name: few, closed: {connections: 2}}", "at a rate": "{name: slow, open: {rate: 40, connections: 4}}"} {
		t.Run(name, func(t *testing.T) {
			archived := run(t, onAService(t, load, 4000, 200))
			a, b := servicesUnder(t, archived, "a"), servicesUnder(t, archived, "b")
			// A busy machine makes a request cost more, as its threads are changed more often.
			if *a.PerRequest < 4000 || *a.PerRequest > 1.5*4000 || *b.PerRequest < 200 || *b.PerRequest > 200+0.25*4000 {
				t.Errorf("%.0f and %.0f µs a request, injected 4000 and 200 on top of what serving takes", *a.PerRequest, *b.PerRequest)
			}
			if a.RSS != nil || len(a.Rates)+len(a.Gauges)+a.Missing > 0 {
				t.Errorf("what is nobody's alone is told: %+v", a)
			}
			for _, trial := range archived.Trials {
				for _, w := range trial.Windows {
					if trial.Sliced == nil || len(w.Server.Services) != 1 || !w.Server.Services[0].Shared || w.Server.Services[0].Process.RSS != 0 {
						t.Errorf("trial %d, window %d: %+v", trial.Index, w.Client.Index, w.Server.Services)
					}
				}
			}
		})
	}
}

// A subject whose responses take longer than a slice has none in its slices: it is measured
// alone, and that is said; the other one has its turns.
func TestSlicesShorterThanResponses(t *testing.T) {
	t.Parallel()
	r := onAService(t, "{name: few, closed: {connections: 2}}", 150_000, 200)
	archived := runUntil(t, r, func(trial *archive.Trial) bool {
		return !starved(trial) || trial.Cell == 0 && tooShort(trial)
	})
	for _, trial := range archived.Trials {
		if slow := trial.Cell == 0; tooShort(&trial) != slow || (trial.Sliced == nil) != slow {
			t.Errorf("cell %d: in slices %v, %v", trial.Cell, trial.Sliced != nil, trial.Findings)
		}
	}
}

// What counts of a cut slice is the part of the requests, and of a turn at a rate all.
func TestWhatCountsOfServices(t *testing.T) {
	turn := load.Turn{Requests: 90, All: 100}
	for mode, want := range map[profile.Mode]float64{profile.Closed: 0.9, profile.Open: 1} {
		a := &arm{cell: &study.Cell{Profile: profile.Profile{Mode: mode}}}
		if got := a.counts(&turn); got != want {
			t.Errorf("%v: %v, want %v", mode, got, want)
		}
	}
}

// A service that can't be read in one slice has no figures of that window, but of the next.
func TestServiceThatIsNotRead(t *testing.T) {
	b := &beneath{services: []serviceMeter{{name: "db", used: probe.Process{CPU: 10, RSS: 7, Begun: 2, Ended: []string{"x"}}, known: true}}}
	var s stood
	s.note(b, 0.5)
	s.note(b, 1)
	if w := s.window(b); len(w) != 1 || w[0].Name != "db" || w[0].Process.CPU != 15 || w[0].Process.RSS != 0 || w[0].Process.Begun != 0 || w[0].Process.Ended != nil {
		t.Errorf("%+v", w)
	}
	s.note(b, 1)
	b.services[0].known = false
	s.note(b, 1)
	if w := s.window(b); w[0].Process != nil {
		t.Errorf("%+v of a window in which it was not read", w[0].Process)
	}
	b.services[0].known = true
	s.note(b, 1)
	if w := s.window(b); w[0].Process == nil || w[0].Process.CPU != 10 {
		t.Errorf("%+v of the window after", w[0].Process)
	}
}

// manyProcesses is a service of some processes that sleep.
func manyProcesses(t testing.TB, n int) (services *beneath, pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("for i in $(seq %d); do sleep 600 & done; echo; wait", n-1))
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	b := newBeneath([]probe.Service{{Name: "ours", PID: cmd.Process.Pid}, {Name: "not ours"}})
	t.Cleanup(b.close)
	b.lap()
	return b, cmd.Process.Pid
}

func TestReadingServices(t *testing.T) {
	b, pid := manyProcesses(t, 10)
	var s stood
	s.note(b, 1)
	if n := testing.AllocsPerRun(50, func() { s.note(b, 0.5) }); n > 0 {
		t.Errorf("%v allocations a slice, without those of the probes", n)
	}
	if b.lap(); len(b.services) != 1 || !b.services[0].known {
		t.Errorf("%+v", b.services)
	}
	unix.Kill(-pid, unix.SIGKILL)
	for b.lap(); b.services[0].known; b.lap() {
	}
	if s.note(b, 1); s.window(b)[0].Process != nil {
		t.Error("figures of a service that has ended")
	}
}

// BenchmarkBeneath is what a reading takes of a service of 60 processes, as a PostgreSQL with 50
// connections has.
func BenchmarkBeneath(b *testing.B) {
	services, _ := manyProcesses(b, 60)
	b.ReportAllocs()
	for b.Loop() {
		services.lap()
	}
}

// A service's log that can't be written is said, and the run is whole all the same.
func TestServiceLogThatCantBeKept(t *testing.T) {
	t.Parallel()
	r := onAService(t, "{name: few, closed: {connections: 2}}", 10, 10)
	var said []string
	r.Observe = func(e Event) {
		switch e.Kind {
		case Begun:
			if err := os.MkdirAll(filepath.Join(r.Store.Dir, e.Run, archive.ServiceLog("work")), 0o755); err != nil {
				t.Error(err)
			}
		case Serving:
			said = append(said, e.Line.String())
		}
	}
	archived := run(t, r)
	if s := archived.Manifest.Status; s != archive.Complete {
		t.Errorf("the run is %s", s)
	}
	if !strings.Contains(strings.Join(said, "\n"), "the log of service work is not kept") {
		t.Errorf("said %q", said)
	}
}
