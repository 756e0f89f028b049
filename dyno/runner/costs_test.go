package runner

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// catalogOf is a catalog of subjects with lines added to their manifests.
func catalogOf(t *testing.T, more map[string]string) *subject.Catalog {
	t.Helper()
	fsys := fstest.MapFS{"routes.yaml": {Data: []byte("routes: [{name: a, get: /, expect: {status: 200}}]\n")}}
	for name, lines := range more {
		fsys[name+"/subject.yaml"] = &fstest.MapFile{Data: []byte("name: " + name + `
language: sh
framework: none
version: 1
role: engine
build: {command: "true", inputs: ["."]}
run: $OUT/x
ready: /
routes: ../../routes.yaml
` + lines)}
	}
	c, err := subject.NewCatalog(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEstimate(t *testing.T) {
	catalog := catalogOf(t, map[string]string{"sh/quick": "", "sh/slow": "ready_within: 40s\n", "sh/warm": "warmup: steady\n"})
	s, err := study.Parse("test.yaml", []byte(`study: test
subjects: [sh/quick, sh/slow, sh/warm, {name: own, run: ./own}]
trial: {warmup: steady 2s..10s, duration: 3s}
blocks: 2
twin: false
`), catalog.Names())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	once := lookingAtOthers + oneCalibration
	dir := t.TempDir()
	unknown := once + 3*besideUsual + besideSlow + // the checks
		2*(besideUsual+2*time.Second+3*time.Second) + 2*(besideSlow+2*time.Second+3*time.Second) +
		2*2*(besideUsual+10*time.Second+rejoining+3*time.Second)
	if got, _ := Estimate(s, &plan, catalog, dir); got != unknown {
		t.Errorf("of subjects that never ran %v, want %v", got, unknown)
	}
	spent := make(spending)
	trial := &archive.Trial{Status: archive.Complete, WarmUp: &archive.WarmUp{Seconds: []archive.WarmUpSecond{{Length: 6 * time.Second}}}}
	for _, took := range []time.Duration{12, 14, 13} { // 6 s of warm-up, a second more, 3 s measured
		spent.note(s.Subjects[2], trial, s.Trial, took*time.Second)
	}
	spent.note(s.Subjects[1], &archive.Trial{Status: archive.Complete}, s.Trial, 6*time.Second)
	spent.note(s.Subjects[0], &archive.Trial{Status: archive.Failed}, s.Trial, time.Minute)
	spent.note(s.Subjects[3], trial, s.Trial, time.Minute) // own: another study's may have its name
	spent.keep(dir)
	known := once + besideUsual + time.Second + 3*time.Second + besideUsual +
		2*(besideUsual+2*time.Second+3*time.Second) + 2*(time.Second+2*time.Second+3*time.Second) +
		2*(3*time.Second+6*time.Second+rejoining+3*time.Second) + 2*(besideUsual+10*time.Second+rejoining+3*time.Second)
	if got, _ := Estimate(s, &plan, catalog, dir); got != known {
		t.Errorf("after a run %v, want %v", got, known)
	}
	if err := os.WriteFile(filepath.Join(dir, costsFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := Estimate(s, &plan, catalog, dir); got != unknown {
		t.Errorf("of a file that is cut off %v, want %v", got, unknown)
	}
}
