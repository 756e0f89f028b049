package runner

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// upstreams is a catalog with one subject, this program, that responds "ok".
func upstreams(t *testing.T) *subject.Catalog {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := subject.NewCatalog(fstest.MapFS{
		"sh/up/subject.yaml": {Data: fmt.Appendf(nil, `name: sh/up
language: sh
framework: none
version: "1"
role: tuned
build: {command: "ln -s '%s' $OUT/up", inputs: ["."]}
run: $OUT/up
ready: /
routes: routes.yaml
env: {%s: ""}
`, self, troubleVariable)},
		"sh/up/routes.yaml": {Data: []byte("- {method: GET, path: /, expect: {status: 200}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A gateway is measured before its upstream, whose CPU time is not its own, and is no
// other program's.
func TestUpstream(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: behind
subjects: [{name: gateway, run: %q, upstream: sh/up, ready: /, env: {%s: gateway}}]
requests: [{name: root, get: /, expect: [body == ok]}]
loads: [{name: saturate, closed: {connections: 4}}]
trial: {warmup: 0s, duration: 2s}
blocks: 1
`, self, troubleVariable), []string{"sh/up"})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &Runner{KeepGoing: true, Study: s, Plan: plan, Command: []string{"dyno"}, Version: "test", Catalog: upstreams(t), CacheDir: t.TempDir(), StateDir: dir, Store: archive.Store{Dir: dir + "/runs"}}
	run := archivedBy(t, r)
	m := &run.Manifest
	if up := m.Subjects[0].Upstream; up == nil || up.Name != "sh/up" || up.BuildHash == "" {
		t.Errorf("archived: %+v", m.Subjects[0])
	}
	trial := run.Trials[0]
	if trial.Status != archive.Complete {
		t.Fatalf("the trial is %s: %s", trial.Status, trial.Error)
	}
	spent := time.Duration(0) // in a second of a busy machine it may have had no CPU
	for _, w := range trial.Windows {
		up := w.Server.Upstream
		if up == nil || w.Server.Process == nil {
			t.Fatalf("window %d: upstream %+v", w.Client.Index, up)
		}
		spent += up.CPU
		if p := w.Server.Machine.Programs; p != nil && slices.ContainsFunc(p.Top, func(one probe.Program) bool { return strings.HasPrefix(one.Name, "up") }) {
			t.Errorf("the upstream is among the others: %+v", p.Top)
		}
	}
	if spent <= 0 {
		t.Error("the upstream used no CPU time")
	}
}

// An upstream that is split off has CPUs of its own where there are enough, and so have
// services; where there aren't, these share the subject's, as they would hold the generator up.
func TestPlacesOfUpstreams(t *testing.T) {
	shared := &places{Placement: archive.Placement{Generator: []int{0}, Subject: []int{1}}}
	if got := shared.ofUpstream(); !slices.Equal(got, []int{0}) {
		t.Errorf("apart from one generator's CPU: %v", got)
	}
	if got := shared.ofServices(); !slices.Equal(got, []int{1}) {
		t.Errorf("services, apart from one generator's CPU: %v", got)
	}
	own := &places{Placement: archive.Placement{Generator: []int{0}, Upstream: []int{1}, Subject: []int{2, 3}}}
	if got, all := own.ofUpstream(), own.all(); !slices.Equal(got, []int{1}) || !slices.Equal(all, []int{0, 1, 2, 3}) {
		t.Errorf("%v of %v", got, all)
	}
	if got := own.ofServices(); !slices.Equal(got, []int{1}) {
		t.Errorf("services: %v", got)
	}
}
