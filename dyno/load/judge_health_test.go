package load

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

func TestJudgeHealth(t *testing.T) {
	for _, c := range []struct {
		health measure.Health
		name   finding.Name
		level  finding.Validity
	}{
		{measure.Health{}, "", finding.Valid},
		{measure.Health{Steal: 49 * time.Millisecond}, "", finding.Valid},
		{measure.Health{Steal: 50 * time.Millisecond}, finding.Steal, finding.Suspect},
		{measure.Health{Steal: 300 * time.Millisecond}, finding.Steal, finding.Invalid},
		{measure.Health{GCCycles: 3, GCPause: 9 * time.Millisecond}, "", finding.Valid},
		{measure.Health{GCCycles: 3, GCPause: 10 * time.Millisecond}, finding.GeneratorGC, finding.Suspect},
		{measure.Health{GCCycles: 1, GCPause: 11 * time.Millisecond}, finding.GeneratorGC, finding.Suspect},
		{measure.Health{ClockStep: -time.Hour}, finding.ClockStep, finding.Valid},
		{measure.Health{Others: &measure.Others{Length: time.Second}}, "", finding.Valid},
		{measure.Health{Others: &measure.Others{Length: time.Second, ListenDrops: 1}}, finding.ListenDrops, finding.Suspect},
		{measure.Health{Suspended: time.Second}, finding.Suspended, finding.Invalid},
	} {
		w := measure.Window{Index: 4, Length: time.Second, Health: &c.health}
		found := judgeWindow(&w, &Spec{Profile: profile.Profile{Mode: profile.Closed, Connections: 1}})
		switch {
		case c.name == "" && len(found) == 0:
		case len(found) != 1 || found[0].Name != c.name || found[0].Validity != c.level || found[0].Windows[0] != 4:
			t.Errorf("%+v: found %+v, want %s %s", c.health, found, c.name, c.level)
		}
	}
}

func TestHealthSinceDiffers(t *testing.T) {
	h := newHealthSampler()
	defer h.close()
	runtime.GC()
	first := h.since()
	if first.GCCycles == 0 || first.GCPause <= 0 {
		t.Errorf("a garbage collection was not seen: %+v", first)
	}
	h.last.gcCycles -= 2
	h.last.wall -= time.Hour
	h.last.boot -= time.Minute
	h.last.steal -= time.Second
	got := h.since()
	if got.GCCycles < 2 || got.Steal < time.Second || got.ClockStep.Round(time.Minute) != time.Hour || got.Suspended.Round(time.Second) != time.Minute {
		t.Errorf("got %+v", got)
	}
}

// A remark stays one, however many windows it concerns.
func TestMergedRemarksStayRemarks(t *testing.T) {
	var found []finding.Finding
	for i := range 4 {
		found = append(found, finding.Finding{Name: finding.ClockStep, Validity: finding.Valid, Detail: i18n.Verbatim("set"), Windows: []int{i}})
	}
	if merged := finding.Merge(found, 10); merged[0].Validity != finding.Valid {
		t.Errorf("%+v", merged)
	}
}

func TestCalibrationJudges(t *testing.T) {
	c := &measure.Calibration{Ceiling: 10_000, LagRate: 5000, Lag: measure.Times{P99: time.Millisecond}, Floor: measure.Times{P50: 50 * time.Microsecond}}
	for _, tt := range []struct {
		name string
		p    profile.Profile
		lag  time.Duration
		want finding.Name
	}{
		{"closed", profile.Profile{Mode: profile.Closed}, time.Second, ""},
		{"within", profile.Profile{Mode: profile.Open, Rate: 9000}, time.Millisecond, ""},
		{"beyond", profile.Profile{Mode: profile.Open, Rate: 9001}, time.Millisecond, finding.BeyondCeiling},
		{"late", profile.Profile{Mode: profile.Open, Rate: 5000}, 3 * time.Millisecond, finding.LagFloor},
	} {
		c.Lag.P99 = tt.lag
		found := c.Judge(&tt.p)
		if tt.want == "" && len(found) > 0 || tt.want != "" && (len(found) != 1 || found[0].Name != tt.want || found[0].Validity != finding.Suspect) {
			t.Errorf("%s: found %+v", tt.name, found)
		}
	}
}

func TestAtFloor(t *testing.T) {
	for p50, want := range map[time.Duration]bool{99 * time.Microsecond: true, 110 * time.Microsecond: false} {
		r := &Result{}
		r.Total.Hist[measure.Response] = measure.NewHistogram()
		r.Total.Hist[measure.Response].RecordValue(int64(p50))
		r.judgeCalibration(&Spec{Calibration: &measure.Calibration{Floor: measure.Times{P50: 50 * time.Microsecond}}})
		if got := len(r.Findings) == 1 && r.Findings[0].Name == finding.AtFloor && r.Findings[0].Validity == finding.Valid; got != want {
			t.Errorf("%v: %+v", p50, r.Findings)
		}
	}
}

func TestLimitedBy(t *testing.T) {
	spec := func(c *measure.Calibration) *Spec {
		return &Spec{Calibration: c, Profile: profile.Profile{Mode: profile.Open, Rate: 1000, Connections: 10}}
	}
	idle := measure.Window{Length: time.Second, Sent: 500, Offered: 1000}
	for says, c := range map[string]struct {
		spec   *Spec
		change func(*measure.Window)
	}{
		"itself reaches 800": {spec(&measure.Calibration{Ceiling: 800}), func(w *measure.Window) { w.InFlight = 10 }},
		"CPUs were full":     {spec(nil), func(w *measure.Window) { w.CPUUser, w.InFlight = time.Second, 10 }},
		"to connect failed":  {spec(nil), func(w *measure.Window) { w.Errors.Connect = 400 }},
		"requests failed":    {spec(nil), func(w *measure.Window) { w.Errors.Timeout, w.InFlight = 400, 10 }},
		"all 10 connections": {spec(&measure.Calibration{Ceiling: 1e6}), func(w *measure.Window) { w.InFlight = 10 }},
		"requests waited for connections": {spec(nil), func(w *measure.Window) {
			w.InFlight, w.Hist[measure.Connect] = 10, measure.NewHistogram()
			w.Hist[measure.Connect].RecordValues(int64(time.Second), 9)
		}},
		"late":    {spec(nil), func(w *measure.Window) { w.Late = 20 }},
		"keep up": {spec(nil), func(*measure.Window) {}},
	} {
		r := &Result{Total: idle}
		c.change(&r.Total)
		if got := r.limitedBy(c.spec, &r.Total); !strings.Contains(got.String(), says) {
			t.Errorf("got %q, want %q", got, says)
		}
	}
	// By their service time 8 connections would do for this rate: who waits doesn't for responses alone.
	r := &Result{Total: idle}
	r.Total.InFlight, r.Total.Hist[measure.Service] = 10, measure.NewHistogram()
	r.Total.Hist[measure.Service].RecordValue(int64(8 * time.Millisecond))
	if got := r.limitedBy(spec(nil), &r.Total); strings.Contains(got.String(), "in flight") {
		t.Errorf("it contradicts itself: %q", got)
	}
}
