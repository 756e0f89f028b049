package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRunAndItsReports(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 2, "good", "twin: "+serverBinary+" good")
	o := dyno(t, home, "run", file, "--repeats", "0", "--seed", "5")
	o.want(t, 0, o.stdout, "plan: 2 cells × 2 blocks = 4 trials", "seed 5", "block 1: cells", "good", "twin", "run ", "report ", "repeat  dyno run study.yaml --repeats 0 --keep-going --seed 5")
	contains(t, o.stderr, "check good: responds as it should", "1/4", "4/4")

	id := onlyRun(t, home)
	o = dyno(t, home, "list")
	o.want(t, 0, o.stdout, id, "faults", "complete", "4")
	o = dyno(t, home, "show", "latest")
	o.want(t, 0, o.stdout, "good", "twin")
	if strings.Contains(o.stdout, "\x1b") {
		t.Error("escape codes, though standard output is no terminal")
	}
	for _, form := range []struct{ flag, part string }{
		{"--markdown", "# faults"}, {"--csv", "run,study,load"}, {"--json", `"groups"`}, {"--html", "<!doctype html>"},
	} {
		first := dyno(t, home, "report", id, form.flag, "-o", "-")
		first.want(t, 0, first.stdout, form.part)
		if again := dyno(t, home, "report", id, form.flag, "-o", "-"); again.stdout != first.stdout {
			t.Errorf("%s: reported twice, it differs", form.flag)
		}
	}
	page := filepath.Join(home, "runs", id, "report.html")
	before := read(t, page)
	o = dyno(t, home, "report", "latest")
	o.want(t, 0, o.stdout, page)
	if read(t, page) != before {
		t.Error("report.html differs from what the run wrote")
	}
	chinese := dyno(t, home, "report", "latest", "--lang", "zh", "-o", "-")
	chinese.want(t, 0, chinese.stdout, `lang="zh`)
	chinese = dyno(t, home, "show", "latest", "--lang", "zh")
	chinese.want(t, 0, chinese.stdout, "数据：")
	chinese = dyno(t, home, "report", "latest", "--markdown", "--lang", "zh")
	chinese.want(t, 0, chinese.stdout, "## 机器、对象与方法")

	o = dyno(t, home, "rm", id)
	o.want(t, 0, o.stderr)
	o = dyno(t, home, "list")
	o.want(t, 0, o.stdout, "no runs yet")
	o = dyno(t, home, "show", "latest")
	o.want(t, 1, o.stderr, "no run")
}

// onlyRun is the ID of the one run in the archive.
func onlyRun(t *testing.T, home string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(home, "runs"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("runs: %v, %v; want one", entries, err)
	}
	return entries[0].Name()
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRunJSONLines(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", studyFile(t, home, 1, "good"), "--repeats", "0", "--json")
	o.want(t, 0, o.stderr)
	var kinds []string
	var last struct {
		Event, Run string
		Analysis   struct{ Groups []any }
	}
	for line := range strings.Lines(o.stdout) {
		last.Analysis.Groups = nil
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("not one JSON value: %v\n%s", err, line)
		}
		if last.Event != "busy" { // others may be
			kinds = append(kinds, last.Event)
		}
	}
	want := []string{"plan", "building", "built", "checking", "checked", "begun", "trial-started", "window", "trial-finished", "finished", "analysis"}
	if got := slices.Compact(kinds); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	if last.Run != onlyRun(t, home) || len(last.Analysis.Groups) != 1 {
		t.Errorf("the last line holds run %q and %d groups", last.Run, len(last.Analysis.Groups))
	}
}

func TestRunQuiet(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", studyFile(t, home, 9, "good"), "--quiet", "--blocks", "1")
	o.want(t, 0, o.stdout, "report  ", "--blocks 1")
	if o.stderr != "" || strings.Contains(o.stdout, "plan:") {
		t.Errorf("not quiet:\n%s%s", o.stdout, o.stderr)
	}
}

func TestRunPlan(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 2, "good", "status")
	o := dyno(t, home, "run", file, "--plan", "--blocks", "3", "--seed", "9")
	o.want(t, 0, o.stdout, "2 cells × 3 blocks = 6 trials", "seed 9")
	if again := dyno(t, home, "run", file, "--plan", "--blocks", "3", "--seed", "9"); again.stdout != o.stdout {
		t.Error("the same seed gave another plan")
	}
	o = dyno(t, home, "run", file, "--plan", "--json")
	o.want(t, 0, o.stderr)
	var line struct {
		Event string
		Plan  struct{ Trials []any }
	}
	if err := json.Unmarshal([]byte(o.stdout), &line); err != nil || line.Event != "plan" || len(line.Plan.Trials) != 4 {
		t.Errorf("%v: %s", err, o.stdout)
	}
	if _, err := os.Stat(filepath.Join(home, "runs")); err == nil {
		t.Error("a plan alone made an archive")
	}
}

func TestRunOfAServiceThatIsUp(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := writeStudy(t, home, `study: up
subjects: [{name: up, url: "`+serve(t, "good")+`"}]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 400, connections: 2}}]
trial: {warmup: 0s, duration: 1s}
blocks: 1
`)
	o := dyno(t, home, "run", file)
	o.want(t, 0, o.stdout, "up", "report  ")
}

func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 100, "good")
	s := start(t, home, "run", file)
	s.comesTo(t, "the run's beginning", func() bool { return strings.Contains(s.stderr.String(), "\nrun ") })
	second := dyno(t, home, "run", file)
	second.want(t, 1, second.stderr, "another study is being measured", "wait for it")
	o := dyno(t, home, "rm", "latest")
	o.want(t, 1, o.stderr, "it is being written")
	s.signal(t, os.Interrupt)
	first := s.wait(t)
	first.want(t, 130, first.stderr, "interrupted")
}

// TestRunPassesTheLinkOn: how a load connects reaches the server and the archive.
func TestRunPassesTheLinkOn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	from := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		from[r.RemoteAddr]++
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	file := writeStudy(t, home, `study: churn
subjects: [{name: up, url: "`+server.URL+`"}]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 100, connections: 2}, sources: [127.0.0.9], pacing: timer}]
factors: {reuse: [none]}
trial: {warmup: 0s, duration: 1s}
blocks: 1
`)
	dyno(t, home, "run", file).want(t, 0, "")
	seen := 0
	mu.Lock()
	defer mu.Unlock()
	for address, n := range from {
		if !strings.HasPrefix(address, "127.0.0.9:") {
			continue // who looks whether the server is up
		}
		if seen++; n != 1 {
			t.Errorf("%d requests on a connection", n)
		}
	}
	if seen < 5 { // of which a busy machine may make less than the hundred that were asked for
		t.Errorf("%d connections", seen)
	}
	manifests, err := filepath.Glob(filepath.Join(home, "runs", "*", "manifest.json"))
	if err != nil || len(manifests) != 1 {
		t.Fatal(manifests, err)
	}
	var m struct {
		Plan struct {
			Cells []struct {
				Pacing string
				Link   struct {
					Reuse   string
					Sources []string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, manifests[0])), &m); err != nil {
		t.Fatal(err)
	}
	if c := m.Plan.Cells[0]; c.Pacing != "timer" || c.Link.Reuse != "none" || len(c.Link.Sources) != 1 {
		t.Errorf("archived is %+v", c)
	}
}
