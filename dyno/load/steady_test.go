package load

import (
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// lasting are windows with the given medians, in ms.
func lasting(ms ...float64) (s seconds) {
	for i, each := range ms {
		w := measure.Window{Index: i, Length: time.Second, Completed: uint64(1000 / each)}
		w.Hist[measure.Response] = measure.NewHistogram()
		w.Hist[measure.Response].RecordValues(int64(each*1e6), 100)
		s.add(&w)
	}
	return s
}

func TestSteadinessOfALoad(t *testing.T) {
	open, closed := profile.Profile{Mode: profile.Open, Rate: 100}, profile.Profile{Mode: profile.Closed}
	stepped := profile.Profile{Mode: profile.Open, Phases: make([]profile.Phase, 2)}
	var drift []float64
	for i := range 20 {
		drift = append(drift, 2+float64(i))
	}
	warm := []float64{8, 8.1, 7.9, 8, 2, 2.01, 2, 1.99, 2, 2.02, 2, 2, 2, 2, 1.98}
	for name, c := range map[string]struct {
		of   []float64
		p    profile.Profile
		want finding.Name
	}{
		"drift":            {drift, open, finding.Drifting},
		"drift, closed":    {drift, closed, finding.Drifting},
		"warm-up":          {warm, closed, finding.StillWarmingUp},
		"a changing load":  {drift, stepped, ""},
		"too few":          {drift[:7], open, ""},
		"nothing happened": {[]float64{2, 2.01, 2, 1.99, 2, 2.02, 2, 2, 2, 2, 1.98}, open, ""},
	} {
		s := lasting(c.of...)
		found := s.judge(&c.p)
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || found[0].Name != c.want || found[0].Validity == finding.Valid) {
			t.Errorf("%s: %+v, want %q", name, found, c.want)
		}
	}
}
