package study

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// phased is a study with a phase of every shape that needs no file.
const phased = minimal + `loads:
  - name: day
    open:
      arrivals: uniform
      overflow: open
      max_connections: 500
      phases:
        - constant: {rate: 0, duration: 1s}
        - steps: {rates: [100, 200.5], each: 10s}
        - steps: {from: 1000, to: 3000, by: 1000, each: 5s, arrivals: poisson}
        - ramp: {from: 0, to: 5000, duration: 30s}
        - spike: {base: 1000, peak: 9000, at: 20s, hold: 5s, duration: 1m}
        - soak: {rate: 500, rise: 5m, duration: 1h}
        - sine: {mean: 1000, amplitude: 500, period: 20s, angle: 90, duration: 2m}
        - sine 1000~500 every 20s 2m
  - {name: users, closed: {connections: 8, think: {mean: 100ms, spread: exponential}}}
  - {name: robots, closed: {think: 1s}}
`

func TestPhases(t *testing.T) {
	s := parse(t, phased)
	p := s.Loads[0].Profile
	if p.Overflow != profile.OpenMore || p.MaxConnections != 500 || p.Rate != 0 || p.Arrivals != profile.Uniform {
		t.Errorf("got %+v", p)
	}
	texts := []string{
		"constant 0 1s", "steps 100,200.5 10s", "steps 1000..3000+1000 5s poisson", "ramp 0..5000 30s", "spike 1000 9000 for 5s at 20s 1m",
		"soak 500 rise 5m 1h", "sine 1000~500 every 20s angle 90 2m", "sine 1000~500 every 20s 2m",
	}
	for i, text := range texts {
		want, err := profile.ParsePhase(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p.Phases[i], want) {
			t.Errorf("phase %d: got %+v, want %+v", i, p.Phases[i], want)
		}
	}
	if got := s.Loads[1].Profile.Think; got != (profile.Think{Mean: 100 * time.Millisecond, Spread: profile.Exponential}) {
		t.Errorf("think time %+v", got)
	}
	if got := s.Loads[2].Profile.Think; got != (profile.Think{Mean: time.Second, Spread: profile.Fixed}) {
		t.Errorf("think time %+v", got)
	}
}

// TestPhasesSayHowLongATrialTakes also where the study says something else.
func TestPhasesSayHowLongATrialTakes(t *testing.T) {
	s := parse(t, minimal+"loads: [{open: {phases: [constant 100 30s]}}, {closed: {}}]\ntrial: {warmup: 1s, duration: 10s}\nblocks: 2\n")
	p, err := Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Cells[0].Timing(s.Trial); got != (Timing{Warmup: time.Second, Duration: 30 * time.Second}) {
		t.Errorf("the phases take %+v", got)
	}
	if got := p.Cells[1].Timing(s.Trial); got != s.Trial {
		t.Errorf("without phases: %+v", got)
	}
	if want := 2 * (42*time.Second + 2*betweenTrials); p.Estimate != want {
		t.Errorf("estimate %v, want %v", p.Estimate, want)
	}
	var text strings.Builder
	p.Describe(&text, i18n.Message.String)
	if !strings.Contains(text.String(), "open, constant 100 30s (poisson), 64 connections") {
		t.Error(text.String())
	}
}

func TestTraceOfAStudy(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"good.txt": "0\n0.5\n3\n", "bad.txt": "0\nsoon\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "s.yaml")
	s, err := Parse(path, []byte(minimal+"loads: [{open: {phases: [{trace: {file: good.txt, loop: true, duration: 9s}}, trace good.txt]}}]\n"), shipped)
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.Loads[0].Profile.Phases[0], s.Loads[0].Profile.Phases[1]
	if first.Trace.Count != 3 || !first.Loop || first.Duration != 9*time.Second || second.Duration != 4500*time.Millisecond {
		t.Errorf("got %+v, %+v", first, second)
	}
	_, err = Parse(path, []byte(minimal+"loads: [{open: {phases: [{trace: {file: bad.txt}}]}}]\n"), shipped)
	if want := path + ":3:26: loads[0].open.phases[0]: bad.txt:2: expected a time in seconds"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

func TestPhasesProblems(t *testing.T) {
	open := func(fields string) string { return minimal + "loads: [{open: {" + fields + "}}]\n" }
	checkProblems(t, []problemCase{
		{"rate and phases", open("rate: 1, phases: [constant 1 1s]"),
			"s.yaml:3:34: loads[0].open.phases: expected either rate or phases, got both (remove one of them)"},
		{"not a list", open("phases: constant 1 1s"),
			`s.yaml:3:25: loads[0].open.phases: expected a list, got "constant 1 1s" (write it as [a, b] or one "- item" a line)`},
		{"text", open("phases: [constnat 1 1s]"),
			`s.yaml:3:26: loads[0].open.phases[0]: there is no shape "constnat"; did you mean constant?`},
		{"unknown shape", open("phases: [{rampp: {}}]"),
			`s.yaml:3:27: loads[0].open.phases[0].rampp: unknown field (did you mean "ramp"?)`},
		{"two shapes", open("phases: [{ramp: {}, soak: {}}]"),
			"s.yaml:3:26: loads[0].open.phases[0]: expected exactly one shape, got 2 (write it as: ramp: {from: 100, to: 5000, duration: 30s})"},
		{"missing", open("phases: [{ramp: {from: 1, duration: 1s}}]"),
			"s.yaml:3:33: loads[0].open.phases[0].ramp: a phase of shape ramp needs the field to (add: to: 5000)"},
		{"field of another shape", open("phases: [{ramp: {form: 1, to: 2, duration: 1s}}]"),
			`s.yaml:3:34: loads[0].open.phases[0].ramp.form: unknown field (did you mean "from"?)`},
		{"wrong rate", open("phases: [{constant: {rate: fast, duration: 1s}}]"),
			`s.yaml:3:44: loads[0].open.phases[0].constant.rate: expected a number from 0 to 10000000, got "fast"`},
		{"duration", open("phases: [{constant: {rate: 1, duration: 1}}]"),
			`s.yaml:3:57: loads[0].open.phases[0].constant.duration: expected a duration from 1ms to 24h, got "1" (write it with a unit, such as 500ms, 10s or 2m)`},
		{"two kinds of steps", open("phases: [{steps: {rates: [1], from: 1, each: 1s}}]"),
			"s.yaml:3:34: loads[0].open.phases[0].steps: expected either rates or from, to and by (rates: [100, 200], or from: 1000, to: 5000, by: 1000)"},
		{"half of steps", open("phases: [{steps: {from: 1, to: 2, each: 1s}}]"),
			"s.yaml:3:34: loads[0].open.phases[0].steps: expected either rates or from, to and by (rates: [100, 200], or from: 1000, to: 5000, by: 1000)"},
		{"peak outside", open("phases: [{spike: {base: 1, peak: 2, at: 9s, hold: 2s, duration: 10s}}]"),
			"s.yaml:3:26: loads[0].open.phases[0]: the peak, for 2s at 9s, must lie within the 10s of the phase"},
		{"amplitude", open("phases: [{sine: {mean: 1, amplitude: 2, period: 1s, duration: 10s}}]"),
			"s.yaml:3:26: loads[0].open.phases[0]: the amplitude 2 is above the mean 1: the rate would fall below 0"},
		{"nothing planned", open("phases: [constant 0 10s]"),
			"s.yaml:3:16: loads[0].open: the phases plan no request at all"},
		{"too short", open("phases: [constant 10 500ms]"),
			"s.yaml:3:16: loads[0].open: the phases take 500ms, but a trial takes from 1s to 24h"},
		{"overflow", open("rate: 1, overflow: drop"),
			`s.yaml:3:36: loads[0].open.overflow: "drop" is not one of the choices (valid: wait, open, shed)`},
		{"limit without overflow", open("rate: 1, max_connections: 100"),
			`s.yaml:3:16: loads[0].open: a limit of 100 connections needs the overflow "open": otherwise there are always 64`},
		{"think", minimal + "loads: [{closed: {think: {spread: fixed}}}]\n",
			"s.yaml:3:26: loads[0].closed.think: a think time needs a mean (add: mean: 100ms)"},
		{"think too long", minimal + "loads: [{closed: {think: 2h}}]\n",
			`s.yaml:3:26: loads[0].closed.think: expected a duration from 0s to 1h, got "2h"`},
		{"rate factor", open("phases: [constant 10 5s]") + "factors: {rate: [1]}\n",
			`s.yaml:4:11: factors.rate: the load "open" has phases, which have rates of their own (give that load open: {rate: …})`},
		{"connections above the limit", open("rate: 10, overflow: open, max_connections: 100") + "factors: {connections: [10, 200]}\n",
			`s.yaml:4:11: factors.connections: the level 200 is above the max_connections of the load "open", 100 (raise max_connections)`},
	})
}
