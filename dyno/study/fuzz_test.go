package study

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// FuzzParse looks for files that panic, that give an error without a place, or
// that parse but don't expand.
func FuzzParse(f *testing.F) {
	for _, src := range []string{"", minimal, factorial, string(Starter()), named + "subjects: &a [*a]\n", "a: b: c\n", minimal + "quick: {factors: {rate: [1]}}\n", "---\n---\n", phased, twoSubjects,
		minimal + "factors: {env.A: {from: 1, to: 9, scale: log}, cpus: [1, 0-1], build.flags: [-ldflags=-s -w], args: [\"'a'\"]}\ndesign: {sobol: {samples: 4}}\ntwin: true\n"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if strings.Contains(string(src), "body_file") || strings.Contains(string(src), "ca_file") || strings.Contains(string(src), "trace") || strings.Contains(string(src), "feeds") {
			t.Skip("would read files")
		}
		s, err := Parse("s.yaml", src, shipped)
		if err != nil {
			checkError(t, err)
			return
		}
		for _, s := range []*Study{s, s.Quick()} {
			p, err := Expand(s, 1)
			if err != nil {
				continue
			}
			checkPlan(t, s, p)
		}
	})
}

func checkError(t *testing.T, err error) {
	var problems Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("got %T %v, want problems", err, err)
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("control character in %q", line)
		}
	}
}

func checkPlan(t *testing.T, s *Study, p Plan) {
	if len(p.Cells) == 0 || len(p.Trials) != len(p.Cells)*s.Blocks || p.Estimate <= 0 {
		t.Fatalf("%d cells, %d trials, %v", len(p.Cells), len(p.Trials), p.Estimate)
	}
	for _, c := range p.Cells {
		if err := c.Profile.Check(); err != nil {
			t.Fatal(err)
		}
		for _, r := range c.SizedRequests() {
			if err := r.Check(&template.Env{Getenv: os.LookupEnv}); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.Describe(new(strings.Builder), i18n.Message.String)
}
