package explaincmd

import (
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/study"
)

func TestWithout(t *testing.T) {
	plain := study.Subject{Name: "s", Run: "./s", Env: map[string]string{"A": "b"}}
	limited := plain
	limited.Limits = &study.Limits{CPUs: 0.2, Memory: 1 << 30}
	up := study.Subject{Name: "s", URL: "http://localhost"}
	for name, c := range map[string]struct {
		of       study.Subject
		cause    explain.Name
		language string
		check    func(study.Subject) bool // nil: it can't be done
	}{
		"collector": {plain, explain.GC, "go", func(s study.Subject) bool {
			return s.Env["GOGC"] == "off" && s.Env["A"] == "b" && s.Env["GOMEMLIMIT"] != ""
		}},
		"collector of a JVM":  {plain, explain.GC, "java", nil},
		"quota":               {limited, explain.Throttled, "", func(s study.Subject) bool { return s.Limits.CPUs == 0 && s.Limits.Memory == 1<<30 }},
		"quota that isn't":    {plain, explain.Throttled, "", func(s study.Subject) bool { return s.Limits.CPUs == halfCPU }},
		"what can't be taken": {plain, explain.Disk, "go", nil},
		"what is up":          {up, explain.GC, "go", nil},
	} {
		got, what, err := without(c.of, c.cause, c.language)
		if (err == nil) != (c.check != nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.check != nil && (!c.check(got) || what.IsZero()) {
			t.Errorf("%s: %+v, %s", name, got, what)
		}
	}
	if limited.Limits.CPUs != 0.2 || plain.Env["GOGC"] != "" {
		t.Error("the subject itself was changed")
	}
}

// The comparison has the subject twice, the one load, and no claims.
func TestComparison(t *testing.T) {
	source := `study: why
question: Why?
subjects:
  - {name: a, use: go/nethttp}
  - {name: b, use: go/nano}
requests:
  - {name: hello, get: /hello}
loads:
  - {name: slow, open: {rate: 100}}
  - {name: fast, open: {rate: 1000}}
trial: {warmup: 1s, duration: 5s}
blocks: 1
`
	m := archive.Manifest{StudyPath: "why.yaml", StudySource: source, Subjects: []archive.Subject{{Name: "a", Language: "go"}}}
	s, _, err := comparison(&m, "a", "fast", explain.GC)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Subjects) != 2 || s.Subjects[0].Name != "a" || s.Subjects[1].Name != "a-changed" || s.Subjects[1].Env["GOGC"] != "off" || len(s.Loads) != 1 || s.Loads[0].Name != "fast" || s.Reference != "a" || s.Blocks < blocksLeast {
		t.Errorf("%+v", s)
	}
	if plan, err := study.Expand(s, 7); err != nil || plan.Seed != 7 {
		t.Errorf("seed %d: %v", plan.Seed, err)
	}
	if _, _, err := comparison(&m, "c", "fast", explain.GC); err == nil {
		t.Error("a subject that isn't there was taken")
	}
}
