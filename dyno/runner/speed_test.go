package runner

import (
	"runtime"
	"slices"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/study"
)

// The speed of each CPU that generator and subject have is in the archive.
func TestSpeedIsArchived(t *testing.T) {
	t.Parallel()
	r := startedRunner(t, "    run: exec %s", "requests: [{get: /}]\n"+steady)
	done := run(t, r)
	p := done.Manifest.Placement
	want := slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Generator, p.Subject))))
	for _, trial := range done.Trials {
		s := trial.Speed
		switch {
		case s == nil:
			t.Fatal("no speed")
		case runtime.GOOS != "linux":
			if s.Missing == "" {
				t.Error("threads can't be pinned here, and the archive does not say so")
			}
			continue
		case s.Missing != "":
			t.Errorf("missing: %s", s.Missing)
		}
		for _, readings := range [][]speed.Reading{s.Before, s.After} {
			var cpus []int
			for _, one := range readings {
				cpus = append(cpus, one.CPU)
				if one.Chain <= 0 || one.Wide <= 0 {
					t.Errorf("read %+v", one)
				}
			}
			if !slices.Equal(cpus, want) {
				t.Errorf("read CPUs %v, want %v", cpus, want)
			}
		}
	}
}

// Of a service that is up nobody knows where it runs.
func TestTrialCPUs(t *testing.T) {
	cell := &study.Cell{Subject: "a"}
	for url, want := range map[string][]int{"": {0, 1, 2, 3}, "http://127.0.0.1:1": {0, 1}} {
		c := &contender{Subject: study.Subject{Name: "a", URL: url}}
		p := &places{archive.Placement{Generator: []int{1, 0}, Subject: []int{3, 2, 1}}, []int{0, 1, 2, 3}}
		if got := p.ofTrial(c, cell); !slices.Equal(got, want) {
			t.Errorf("url %q: CPUs %v, want %v", url, got, want)
		}
	}
}

// A trial is held to those before it as soon as it ends.
func TestASlowTrialIsSuspectAtOnce(t *testing.T) {
	cpu := machine.OnlineCPUs()[0]
	fast := []speed.Reading{{CPU: cpu, Chain: 1e4, Wide: 1e5}} // as no CPU is
	for _, c := range []struct {
		before int // trials
		status archive.Status
		accept []finding.Name
		want   finding.Validity
		found  int
	}{
		{3, archive.Complete, nil, finding.Suspect, 1},
		{3, archive.Complete, []finding.Name{finding.CPUSpeed}, finding.Valid, 1},
		{1, archive.Complete, nil, finding.Valid, 0},
		{3, archive.Failed, nil, finding.Invalid, 0},
		{3, archive.Interrupted, nil, finding.Invalid, 0},
	} {
		var s speeds
		for range c.before {
			s = append(s, &archive.Speed{Before: fast, After: fast})
		}
		trial := archive.Trial{Status: c.status, Validity: finding.Valid, Speed: s.begin([]int{cpu})}
		if c.status != archive.Complete {
			trial.Validity = finding.Invalid
		}
		s.end(&trial, []int{cpu}, c.accept)
		if trial.Speed.Missing != "" {
			t.Skipf("no speed can be read here: %s", trial.Speed.Missing)
		}
		if trial.Validity != c.want || len(trial.Findings) != c.found {
			t.Errorf("%s after %d trials: %s, found %+v", c.status, c.before, trial.Validity, trial.Findings)
		}
	}
}
