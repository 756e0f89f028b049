package profile

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParsePhase(t *testing.T) {
	for text, want := range map[string]Phase{
		"constant 5000 1m":                  {Shape: Constant, Rate: 5000, Duration: time.Minute},
		"  constant\t1e3  500ms  uniform ":  {Shape: Constant, Rate: 1000, Duration: 500 * time.Millisecond, Arrivals: Uniform},
		"ramp 100..5000 30s":                {Shape: Ramp, From: 100, To: 5000, Duration: 30 * time.Second},
		"ramp 0.5..0 1m30s poisson":         {Shape: Ramp, From: 0.5, Duration: 90 * time.Second, Arrivals: Poisson},
		"steps 100,200,400 10s":             {Shape: Steps, Rates: []float64{100, 200, 400}, Duration: 30 * time.Second},
		"steps 1000..3000+1000 10s":         {Shape: Steps, Rates: []float64{1000, 2000, 3000}, Duration: 30 * time.Second},
		"steps 0.3..0.1+0.1 1s":             {Shape: Steps, Rates: []float64{0.3, 0.2, 0.1}, Duration: 3 * time.Second},
		"steps 1..4+2 1s":                   {Shape: Steps, Rates: []float64{1, 3}, Duration: 2 * time.Second},
		"spike 1000 9000 for 5s at 20s 60s": {Shape: Spike, Rate: 1000, Peak: 9000, Hold: 5 * time.Second, At: 20 * time.Second, Duration: time.Minute},
		"spike 1 2 at 0s for 1s 1s":         {Shape: Spike, Rate: 1, Peak: 2, Hold: time.Second, Duration: time.Second},
		"soak 500 1h":                       {Shape: Soak, Rate: 500, Duration: time.Hour},
		"soak 500 rise 5m 8h":               {Shape: Soak, Rate: 500, Rise: 5 * time.Minute, Duration: 8 * time.Hour},
		"sine 1000~500 every 20s 2m":        {Shape: Sine, Rate: 1000, Amplitude: 500, Period: 20 * time.Second, Duration: 2 * time.Minute},
		"sine 9~9 angle 90 every 20s 2m":    {Shape: Sine, Rate: 9, Amplitude: 9, Period: 20 * time.Second, Angle: 90, Duration: 2 * time.Minute},
		"trace times.txt":                   {Shape: Trace, Trace: &TraceFile{File: "times.txt"}},
		`trace "my times.txt" loop 1m`:      {Shape: Trace, Trace: &TraceFile{File: "my times.txt"}, Loop: true, Duration: time.Minute},
	} {
		got, err := ParsePhase(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
			continue
		}
		if again, err := ParsePhase(got.String()); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q is written as %q and read as %+v, %v", text, got.String(), again, err)
		}
	}
	for _, s := range Shapes() {
		if _, err := ParsePhase(s.Example()); err != nil {
			t.Errorf("the example of %s: %v", s, err)
		}
	}
}

func TestParsePhaseProblems(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "the phase is empty",
		"rampp 1..2 1s":                      "did you mean ramp?",
		"wobble 1 1s":                        "there are constant, steps, ramp",
		"constant":                           `something is missing; write it as constant RATE DURATION, such as "constant 5000 1m"`,
		"constant 5000":                      "something is missing",
		"constant 5000 60":                   `the last word is the duration: expected a time with its unit, such as 500ms, 30s or 2m, and at most 720h, got "60"`,
		"constant 5000 0s":                   "the duration must be above 0",
		"constant 5000 1000h":                "at most 720h",
		"constant -1 1s":                     `expected a rate from 0 to 10000000 requests/s, got "-1"`,
		"constant 0x10 1s":                   `got "0x10"`,
		"constant NaN 1s":                    `got "NaN"`,
		"constant 1e8 1s":                    `got "1e8"`,
		"constant 5000 fast 1s":              `unexpected word "fast"`,
		"constant 5000 1s random":            `the last word is the duration`,
		"ramp 100-5000 30s":                  `expected two rates with .. between them, got "100-5000"`,
		"ramp 100.. 30s":                     `expected a rate`,
		"steps 100..500 10s":                 "expected FROM..TO+BY",
		"steps 100..500+0 10s":               "a stride above 0",
		"steps 0..10000000+1 10s":            "more than 1000 steps",
		"steps 1,,2 10s":                     `got ""`,
		"spike 1 1m":                         "the peak is missing",
		"spike 1 2 for 5s at 58s 1m":         "the peak, for 5s at 58s, must lie within the 1m of the phase",
		"spike 1 2 at 5s 1m":                 "the peak, for 0s",
		"spike 1 2 for 5s for 5s 1m":         `"for" is given twice`,
		"spike 1 2 for 5s at 1m":             `the value of "at" is missing`,
		"spike 1 2 for 5 at 1s 1m":           "for: expected a time with its unit",
		"soak 5 rise 2m 1m":                  "the rise must be from 0 to the phase's duration 1m",
		"sine 500~1000 every 1s 1m":          "the rate would fall below 0",
		"sine 500~100 1m":                    "the period must be above 0",
		"sine 500~100 every 1s angle 360 1m": "below 360 degrees",
		"trace":                              "the file is missing",
		"trace a b":                          `expected a time with its unit, such as 500ms, 30s or 2m, and at most 720h, got "b"`,
		"trace a b 1s":                       `unexpected word "b"`,
		"trace a loop":                       "needs a duration",
		"trace a uniform":                    "has its own arrivals",
		`trace "a`:                           "a quote without its end",
	} {
		if _, err := ParsePhase(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want …%s…", text, err, want)
		}
	}
}

func FuzzParsePhase(f *testing.F) {
	for _, s := range Shapes() {
		f.Add(s.Example())
	}
	for _, text := range []string{"", "steps 1,2 1s uniform", "steps 5..1+0.3 1us", `trace "a b" loop 1h`, `trace "\x00" 1s`, "spike 0 1e7 for 1ns at 0s 1ns", "sine 1~1 every 1ns angle 1e-300 720h"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ph, err := ParsePhase(text)
		if err != nil {
			return
		}
		if again, err := ParsePhase(ph.String()); err != nil || !reflect.DeepEqual(again, ph) {
			t.Fatalf("%q is written as %q and read as %+v, %v", text, ph.String(), again, err)
		}
		if ph.Shape == Trace {
			return
		}
		s := NewSchedule(&Profile{Phases: []Phase{ph}}, time.Second, 0, 1, 3)
		last, end := int64(-1), int64(time.Second+ph.Duration)
		for range 100 {
			at, ok := s.next()
			if !ok {
				break
			}
			if at < last || at >= end {
				t.Fatalf("%q: a start at %d after one at %d, of %d", text, at, last, end)
			}
			last = at
		}
	})
}

func TestReadTrace(t *testing.T) {
	got, err := ReadTrace(strings.NewReader("# seconds\n0\n\n0.25\n250ms\n{\"at\": 0.5, \"url\": \"/a\"}\r\n1e0\n1500000000ns\n"), "t.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{0, 25e7, 25e7, 5e8, 1e9, 15e8}; !reflect.DeepEqual(got.times, want) || got.Count != 6 || got.Length != 1800*time.Millisecond || len(got.SHA256) != 64 {
		t.Errorf("got %+v", got)
	}
	if got.busiest() != 4 {
		t.Errorf("busiest second has %v", got.busiest())
	}
	for text, want := range map[string]string{
		"":                         "t.txt: the trace holds no arrival",
		"# nothing\n":              "holds no arrival",
		"0\n1\n0.5\n":              "t.txt:3: 500ms is earlier than the arrival before, at 1s: sort the lines by time",
		"0\nsoon\n":                `t.txt:2: expected a time in seconds, such as 1.5, with a unit, such as 1500ms, or {"at": 1.5}; got "soon"`,
		"-1\n":                     "t.txt:1: times must be from 0 to 720h, not -1s",
		"1e300\n":                  "t.txt:1: times must be",
		"nan\n":                    "t.txt:1: expected a time",
		"{\"at\": \"1\"}\n":        "t.txt:1: expected a JSON object",
		"{\"time\": 1}\n":          `t.txt:1: the object has no field "at"`,
		"0\n{\"at\": 1\n":          "t.txt:2: expected a JSON object",
		strings.Repeat("0", 1<<17): "t.txt:1: the line is longer than 65536 bytes",
	} {
		if _, err := ReadTrace(strings.NewReader(text), "t.txt"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want …%s…", text, err, want)
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	for _, text := range []string{"", "0\n1.5\n1500ms\n", "{\"at\": 1}\n", "-0\n", "#\n\n1e-9\n1e6\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := ReadTrace(strings.NewReader(text), "t.txt")
		if err != nil {
			return
		}
		ph := Phase{Shape: Trace, Trace: tr, Duration: tr.Length}
		if err := ph.Check(); err != nil {
			t.Fatal(err)
		}
		s, n := NewSchedule(&Profile{Phases: []Phase{ph}}, 0, 0, 0, 1), 0
		for _, ok := s.next(); ok; _, ok = s.next() {
			n++
		}
		if n != tr.Count {
			t.Fatalf("%d arrivals of %d", n, tr.Count)
		}
	})
}

func TestProfileProblems(t *testing.T) {
	phases := []Phase{{Shape: Constant, Rate: 1, Duration: time.Second}}
	for _, c := range []struct {
		p    Profile
		want string
	}{
		{Profile{Mode: Closed, Connections: 1, Rate: 1}, "no rate"},
		{Profile{Mode: Closed, Connections: 1, Phases: phases}, "no phases"},
		{Profile{Mode: Closed, Connections: 1, Overflow: Wait}, "overflow belongs to the open loop"},
		{Profile{Mode: Closed, Connections: 1, Think: Think{Mean: -1}}, "think time must be"},
		{Profile{Mode: Closed, Connections: 1, Think: Think{Mean: 1, Spread: "normal"}}, `"normal"`},
		{Profile{Mode: Open, Connections: 1, Rate: 1, Think: Think{Mean: 1}}, "think time belongs to the closed loop"},
		{Profile{Mode: Open, Connections: 1, Rate: 1, Phases: phases}, "not both"},
		{Profile{Mode: Open, Connections: 1, Rate: 1, Overflow: "drop"}, `"drop"`},
		{Profile{Mode: Open, Connections: 1, Rate: 1, MaxConnections: 5}, `needs the overflow "open"`},
		{Profile{Mode: Open, Connections: 6, Rate: 1, Overflow: OpenMore, MaxConnections: 5}, "from 6"},
		{Profile{Mode: Open, Connections: 1, Phases: []Phase{{Shape: Constant, Duration: 1}}}, "no request at all"},
		{Profile{Mode: Open, Connections: 1, Phases: []Phase{{Shape: "up", Duration: 1}}}, `phase 1: there is no shape "up"`},
		{Profile{Mode: Open, Connections: 1, Phases: []Phase{{Shape: Constant, Rate: 1, Peak: 2, Duration: 1}}}, "of shape constant has no peak"},
		{Profile{Mode: Open, Connections: 1, Phases: []Phase{{Shape: Trace, Duration: 1}}}, "has not been read"},
		{Profile{Mode: Open, Connections: 1, Phases: make([]Phase, 1001)}, "1001 phases"},
		{Profile{Mode: Open, Connections: 1, Phases: []Phase{{Shape: Soak, Rate: 1, Duration: MaxLength}, phases[0]}}, "longer than"},
	} {
		if err := c.p.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want …%s…", c.p, err, c.want)
		}
	}
}

// TestTopRateOfATraceThatLoops: in a second it may go round several times.
func TestTopRateOfATraceThatLoops(t *testing.T) {
	trace, err := ReadTrace(strings.NewReader("0\n0.1\n0.2\n0.3\n"), "t")
	if err != nil {
		t.Fatal(err)
	}
	for loop, want := range map[bool]float64{false: 4, true: 10} {
		p := Profile{Phases: []Phase{{Shape: Trace, Duration: 10 * time.Second, Trace: trace, Loop: loop}}}
		if got := p.TopRate(); got != want {
			t.Errorf("loop %v: %v/s, want %v", loop, got, want)
		}
	}
}
