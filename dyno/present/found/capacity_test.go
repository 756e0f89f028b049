package found

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

func TestCapacityText(t *testing.T) {
	lower := &capacity.Load{Rate: 1000, Class: capacity.Lower, Trials: []capacity.Trial{
		{Length: time.Second, Decision: capacity.Holds}, {Length: 5 * time.Second, Decision: capacity.Holds}, {Length: 5 * time.Second, Decision: capacity.Spoiled},
	}}
	upper := &capacity.Load{Rate: 1040, Class: capacity.Upper, Trials: []capacity.Trial{{Length: 5 * time.Second, Decision: capacity.Fails, P99: 8e7, AtLeast: true}}}
	full := &capacity.Load{Rate: 1100, Class: capacity.Blocked, Limited: true, Why: i18n.Verbatim("generator-full: 97 %")}
	goal := capacity.DefaultGoal()
	for _, c := range []struct {
		name   string
		result capacity.Result
		want   []string
	}{
		{"bracket", capacity.Result{Holds: lower, Fails: upper, Width: 0.038, Reached: true, Loads: []capacity.Load{*lower, *upper}},
			[]string{"between 1,000 and 1,040 requests/s, 3.8 % apart", "1 of 1 trials of 5s held, plus 1 shorter; 1 spoiled by the generator don't count", "1 of 1 trials of 5s failed", ">=80ms"}},
		{"not sure", capacity.Result{Holds: lower, Fails: upper, Why: i18n.New("capacity.time-up", "time was up")}, []string{"not as narrow or as sure as asked for: time was up"}},
		{"generator", capacity.Result{Holds: lower, Limit: full, Why: i18n.Verbatim("x")}, []string{">= 1,000 requests/s, limited by the generator", "1,100/s: generator-full: 97 %"}},
		{"top", capacity.Result{Holds: lower, Why: i18n.New("capacity.holds-at-highest", "it holds even at the highest rate")}, []string{">= 1,000 requests/s: it holds even"}},
		{"floor", capacity.Result{Fails: upper, Why: i18n.New("capacity.fails-at-lowest", "it fails even at the lowest rate")}, []string{"below 1,040 requests/s: it fails even"}},
		{"nothing", capacity.Result{Why: i18n.New("capacity.time-up", "time was up")}, []string{"nothing is known of the capacity: time was up"}},
	} {
		var b bytes.Buffer
		(&Capacity{Result: &c.result, Goal: goal}).Text(&b, report.English())
		for _, part := range c.want {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s: %q is missing in:\n%s", c.name, part, b.String())
			}
		}
	}
}

func TestNearCeiling(t *testing.T) {
	for ceiling, near := range map[float64]bool{1500: true, 4000: false} {
		c := Capacity{Result: &capacity.Result{Fails: &capacity.Load{Rate: 1000}}, Calibration: &measure.Calibration{Ceiling: ceiling}}
		if c.NearCeiling(); (len(c.Hints) == 1) != near {
			t.Errorf("of a ceiling of %v: %v", ceiling, c.Hints)
		}
	}
}
