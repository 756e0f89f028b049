package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
)

// rhythm is a trial whose collections make every fourth second slow, and that has files open
// two seconds after each.
func rhythm(seconds int) (windows []archive.Window) {
	for i := range seconds {
		w := window(i, 100, time.Millisecond)
		w.Server.Runtime = &probe.Runtime{}
		w.Server.Process.OpenFiles = 20
		switch i % 4 {
		case 0:
			w = window(i, 100, time.Duration(80+i)*time.Millisecond)
			w.Server.Runtime = &probe.Runtime{GCPause: time.Duration(70+i) * time.Millisecond}
			w.Server.Process.OpenFiles = 20
		case 2:
			w.Server.Process.OpenFiles = 120
		}
		windows = append(windows, w)
	}
	return windows
}

// tailed are the sums of a trial of which the worst seconds are asked for.
func tailed(windows ...archive.Window) *sums {
	s := newSums(profile.Open, measure.Response)
	s.tail = &tail{}
	for i := range windows {
		s.add(&windows[i])
	}
	return s
}

// On the same windows collections are found; two seconds late, it is the files.
func TestTailIsJudgedByAlignedSeries(t *testing.T) {
	s := tailed(rhythm(20)...)
	want := map[string]float64{"tail.gc": 100, "tail.gc.late": 0, "tail.files": 0, "tail.files.late": 100}
	for _, f := range tails() {
		got, missing := f.of(s)
		w, ok := want[f.Name]
		if !ok || !missing.IsZero() || got != w {
			t.Errorf("%s = %g (%s), want %g", f.Name, got, missing, w)
		}
		delete(want, f.Name)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestTailThatCantBeTold(t *testing.T) {
	same := make([]archive.Window, 12)
	for i := range same {
		same[i] = window(i, 100, time.Millisecond)
	}
	silent := rhythm(12)
	for i := range silent {
		silent[i].Server.Missing = []string{"gc_pause: the runtime doesn't tell", "open_files: no rights"}
	}
	for name, windows := range map[string][]archive.Window{"short": rhythm(7), "even": same, "silent": silent} {
		s := tailed(windows...)
		for _, f := range tails() {
			if value, missing := f.of(s); missing.IsZero() {
				t.Errorf("%s: %s = %g", name, f.Name, value)
			}
		}
	}
}

// A second that was left out is no reason to move the others.
func TestTailWithAGap(t *testing.T) {
	windows := rhythm(20)
	s := tailed(append(windows[:5:5], windows[6:]...)...)
	if got, missing := s.tail.shared(func(s *tailSecond) *float64 { return s.pause }, 0); got != 100 {
		t.Errorf("got %g, %s", got, missing)
	}
}

func TestTailsAreForThoseWhoAsk(t *testing.T) {
	for expression, want := range map[string]bool{"cpu > 1us": false, "tail.gc - tail.gc.late > 20%": true} {
		m := archive.Manifest{Claims: []claim.Claim{{ID: "a", Expressions: []string{expression}}}}
		if got := asksForTails(&m); got != want {
			t.Errorf("%s: %v", expression, got)
		}
	}
}

func TestClaimsCanNameTails(t *testing.T) {
	var want, got []claim.Metric
	for _, f := range tails() {
		want = append(want, claim.Metric{Name: f.Name, Unit: f.Unit})
	}
	for _, m := range study.ClaimMetrics() {
		if strings.HasPrefix(m.Name, tailName) {
			got = append(got, m)
		}
	}
	slices.SortFunc(got, func(a, b claim.Metric) int { return strings.Compare(a.Name, b.Name) })
	if !slices.Equal(got, want) {
		t.Errorf("claims know %v, measured are %v", got, want)
	}
}

// A run whose claim asks is analysed whatever its trials are worth.
func TestTailsOfARun(t *testing.T) {
	for _, worth := range []finding.Validity{finding.Valid, finding.Invalid} {
		run := analysistest.Run(2)
		run.Manifest.Claims = []claim.Claim{{ID: "a", Expressions: []string{"tail.gc[go/gin] > 20%"}}}
		for i := range run.Trials {
			run.Trials[i].Validity = worth
		}
		if _, err := Analyse(run); err != nil {
			t.Errorf("%s: %v", worth, err)
		}
	}
}
