package studies_test

import (
	"strings"
	"testing"

	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
)

// What arithmetic forbids to decide, or decides by itself, is known before a run: a study that
// ships with dyno says it, in its full and in its quick form.
func TestStudiesSayWhatTheyCantDecide(t *testing.T) {
	said, takes := 0, ""
	for _, name := range studies.Names() {
		s, err := study.Open(name, subjectNames(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Foresee() {
			switch {
			case f.Declared:
				said++
			case f.Verdict != "":
				t.Errorf("%s: %v", name, f)
			default:
				takes += f.Message().String() + "\n"
			}
		}
	}
	if said == 0 {
		t.Error("no study says that it can't decide something: nothing was looked at")
	}
	if strings.Contains(takes, "gate-concurrency:") {
		t.Errorf("what the study says is unmeasurable needs no more words:\n%s", takes)
	}
	t.Log(takes)
}
