package calibrate

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

func TestMain(m *testing.M) {
	if IsChild(os.Args) {
		ChildMain()
	}
	os.Exit(m.Run())
}

func needLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there is no null server on this system")
	}
}

// calibrated is Run; again if the machine stood still whenever something was tried.
func calibrated(t *testing.T, s *load.Spec) *measure.Calibration {
	t.Helper()
	for range 10 {
		c, err := Run(t.Context(), s)
		if err == nil {
			return c
		}
		if !errors.Is(err, errStill) {
			t.Fatal(err)
		}
	}
	t.Skip(errStill)
	return nil
}

func spec(p profile.Profile) *load.Spec { return &load.Spec{Target: "http://127.0.0.1:1", Profile: p} }

func TestRun(t *testing.T) {
	needLinux(t)
	for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 8}, {Mode: profile.Open, Connections: 8, Rate: 500}} {
		c := calibrated(t, spec(p))
		if c.Ceiling <= 0 || c.CPUPerRequest <= 0 || c.Engine == "" || c.Threads != 1 || c.Connections != 8 || c.Took <= 0 {
			t.Errorf("%+v", c)
		}
		if f := c.Floor; !(f.Min > 0 && f.Min <= f.P50 && f.P50 <= f.P99 && f.P99 <= f.Max) {
			t.Errorf("floor %+v", f)
		}
		if l := c.Timer; l.Min < 0 || l.Min > l.Max || l.Max == 0 {
			t.Errorf("timer %+v", l)
		}
		if c.Hiccups.Over != hiccupTime || c.Hiccups.Taken < 0 {
			t.Errorf("hiccups %+v", c.Hiccups)
		}
		if want := p.Rate; min(want, lagShare*c.Ceiling) != c.LagRate || p.Mode == profile.Open && c.Lag.Max == 0 {
			t.Errorf("lag %+v at %v", c.Lag, c.LagRate)
		}
	}
}

// TestRunOverHTTP2: a load over HTTP/2 is calibrated over HTTP/2, with its streams as
// far as they matter.
func TestRunOverHTTP2(t *testing.T) {
	needLinux(t)
	for _, streams := range []int{1, 10, 1000} {
		s := spec(profile.Profile{Mode: profile.Open, Connections: 4, Rate: 500})
		s.Link.Streams = streams
		c := calibrated(t, s)
		if c.Protocol != request.HTTP2 || c.Streams != min(streams, mostStreams) || c.Connections != 4 {
			t.Errorf("%d streams: %+v", streams, c)
		}
		if c.Ceiling <= 0 || c.Floor.Min <= 0 || c.LagRate != min(500, lagShare*c.Ceiling) || c.Lag.Max == 0 {
			t.Errorf("%d streams: %+v", streams, c)
		}
	}
}

// TestRunOverGRPC: calls are calibrated as calls, and messages of streams not at all.
func TestRunOverGRPC(t *testing.T) {
	needLinux(t)
	s := spec(profile.Profile{Mode: profile.Open, Connections: 4, Rate: 500})
	s.Link.Streams = 10
	call := request.GRPC{Method: "some.Service/Method"}
	s.Requests = []request.Request{request.NewGRPC(&call, "{}")}
	c := calibrated(t, s)
	if c.Protocol != "grpc" || c.Streams != 10 || c.Ceiling <= 0 || c.Floor.Min <= 0 || c.Lag.Max == 0 {
		t.Errorf("%+v", c)
	}
	call.Messages = 100
	if _, err := Run(t.Context(), s); err != errStreams {
		t.Errorf("messages of a stream: %v", err)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	needLinux(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, spec(profile.Profile{Mode: profile.Closed, Connections: 1})); err == nil {
		t.Error("a calibration that was cancelled has a result")
	}
}

// TestChildEndsWithItsParent: the parent's end of the pipe closes however it
// ends.
func TestChildEndsWithItsParent(t *testing.T) {
	needLinux(t)
	p, url, err := startServer(t.Context(), 2, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("the null server listens on %s", url)
	}
	p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Error("the null server outlives its parent")
		p.stop()
	}
}

func TestTimers(t *testing.T) {
	needLinux(t)
	for _, pacing := range pacings {
		late, err := timerError(pacing, -1, 5)
		if err != nil || late.Min < 0 || late.Max < late.P50 || late.Max == 0 {
			t.Errorf("%s: %+v, %v", pacing, late, err)
		}
	}
	if _, err := timerError(Timer, 4095, 1); err == nil {
		t.Error("a CPU that there is not gave a result")
	}
}

// TestProofs makes both proofs once. Whether they pass depends on the machine;
// what they must see is in the tests of their judges.
func TestProofs(t *testing.T) {
	needLinux(t)
	b, err := newBench(t.Context(), spec(profile.Profile{Mode: profile.Closed, Connections: 2}))
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	var freeze Proof
	for range 10 { // on a busy machine it may be stopped only after its end
		before := clock.Now()
		if freeze, err = b.freeze(200); err != nil {
			t.Fatal(err)
		}
		if took := time.Duration(clock.Now() - before); took < freezeTime {
			t.Errorf("the generator was watched for %v", took)
		}
		if freeze.Passed {
			break
		}
	}
	if !freeze.Passed {
		t.Errorf("a generator that was stopped was not marked: %s", freeze.Detail)
	}
	if stall, err := b.stall(200); err != nil || !strings.Contains(stall.Detail, "stopped for") && !strings.Contains(stall.Detail, "disturbed") {
		t.Errorf("%+v, %v", stall, err)
	}
}

// stalled is an open loop of 2 s with requests every millisecond, of which those
// due in a pause waited for its end as a function says.
func stalled(pause time.Duration, waited func(left time.Duration) time.Duration) *load.Result {
	r := &load.Result{Windows: []measure.Window{{Index: 0}, {Index: 1}}}
	r.Total.Length = 2 * time.Second
	r.Total.Hist[measure.Response], r.Total.Hist[measure.Service] = measure.NewHistogram(), measure.NewHistogram()
	for at := time.Duration(0); at < 2*time.Second; at += time.Millisecond {
		took := 100 * time.Microsecond
		if left := pause - (at - 500*time.Millisecond); left > 0 && left <= pause {
			took += waited(left)
		}
		r.Total.Hist[measure.Response].RecordValue(int64(took))
		r.Total.Hist[measure.Service].RecordValue(int64(100 * time.Microsecond))
	}
	return r
}

func TestJudgeStall(t *testing.T) {
	pause := 300 * time.Millisecond
	for name, c := range map[string]struct {
		r      *load.Result
		passed bool
	}{
		"as it was":      {stalled(pause, func(left time.Duration) time.Duration { return left }), true},
		"omitted":        {stalled(pause, func(time.Duration) time.Duration { return 0 }), false},
		"all of it each": {stalled(pause, func(time.Duration) time.Duration { return pause }), false},
		"nothing":        {&load.Result{}, false},
	} {
		if p := judgeStall(c.r, pause); p.Passed != c.passed || p.Detail == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestJudgeFreeze(t *testing.T) {
	marked := windowResult{Completed: 5, Validity: finding.Invalid, Findings: []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Invalid}}}
	good := windowResult{Completed: 7, Validity: finding.Valid}
	for name, c := range map[string]struct {
		a      generatorResult
		passed bool
	}{
		"marked and left out":     {generatorResult{[]windowResult{marked, good}, 7}, true},
		"both marked":             {generatorResult{[]windowResult{marked, marked}, 0}, true},
		"marked, but in the sum":  {generatorResult{[]windowResult{marked, good}, 12}, false},
		"not marked":              {generatorResult{[]windowResult{good, good}, 14}, false},
		"the wrong second marked": {generatorResult{[]windowResult{good, marked}, 7}, false},
		"nothing":                 {generatorResult{}, false},
	} {
		if p := judgeFreeze(&c.a, 0, time.Second); p.Passed != c.passed {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestVerdict(t *testing.T) {
	report := func() *Report {
		passed := Proof{Passed: true}
		return &Report{Stall: passed, Freeze: passed, Engines: []EngineReport{{
			Name: "epoll", Ceiling: 1000, Floor: measure.Times{P50: 20 * time.Microsecond}, Repeats: 3 * time.Microsecond,
			Lags: []LagReport{{0.1, 100, measure.Times{P99: time.Microsecond}}, {0.5, 500, measure.Times{P99: time.Millisecond}}, {0.8, 800, measure.Times{P99: time.Second}}},
		}}}
	}
	r := report()
	want := Ability{OK: true, UpTo: 500, Above: 40 * time.Microsecond, Difference: 3 * time.Microsecond}
	if v := r.ability(r.best()); v.OK != want.OK || v.UpTo != want.UpTo || v.Above != want.Above || v.Difference != want.Difference {
		t.Errorf("got %+v, want %+v", v, want)
	}
	for says, spoil := range map[string]func(*Report){
		"tenth of the ceiling": func(r *Report) { r.Engines[0].Lags = r.Engines[0].Lags[2:] },
		"objects a request":    func(r *Report) { r.Engines[0].Allocations = 1 },
		"pause of the serv":    func(r *Report) { r.Stall.Passed = false },
		"pause of the gener":   func(r *Report) { r.Freeze.Passed = false },
		"no engine":            func(r *Report) { r.Engines[0].Error = "no" },
	} {
		r := report()
		spoil(r)
		if v := r.ability(r.best()); v.OK || len(v.Why) != 1 || !strings.Contains(v.Why[0], says) {
			t.Errorf("%s: %+v", says, v)
		}
	}
}

func TestOthers(t *testing.T) {
	if cpus := others(nil); cpus != nil {
		t.Errorf("an unpinned generator keeps the server to %v", cpus)
	}
	for _, cpu := range others([]int{0}) {
		if cpu == 0 {
			t.Error("the server shares the generator's CPU")
		}
	}
}

// TestRunIsOfWhatWillBeUsed: what is calibrated is the engine that the load will
// have, waiting as it will.
func TestRunIsOfWhatWillBeUsed(t *testing.T) {
	needLinux(t)
	engine := func(s *load.Spec) string { return calibrated(t, s).Engine }
	plain, secure, stamped := spec(profile.Profile{Mode: profile.Closed, Connections: 1}), spec(profile.Profile{Mode: profile.Closed, Connections: 1}), spec(profile.Profile{Mode: profile.Closed, Connections: 1})
	secure.Target, stamped.KernelTimestamps = "https://127.0.0.1:1", true
	if a, b := engine(plain), engine(secure); a != b || a == "portable" {
		t.Errorf("engine %s, over TLS %s", a, b)
	}
	if got := engine(stamped); got != "epoll" {
		t.Errorf("engine %s, but only epoll has kernel timestamps", got)
	}
	for _, c := range []struct {
		engine string
		asked  profile.Pacing
		want   Pacing
	}{{"uring", "", Hybrid}, {"epoll", profile.SpinPacing, Hybrid}, {"uring", profile.TimerPacing, Timer}, {"portable", profile.TimerPacing, Sleep}} {
		if got := pacingOf(c.engine, c.asked); got != c.want {
			t.Errorf("%s, %q: waits by %q", c.engine, c.asked, got)
		}
	}
}

// What the machine does once is no floor: what it does each time is.
func TestLeastLag(t *testing.T) {
	late, onTime := measure.Times{P99: 3 * measure.LateAfter}, measure.Times{P99: measure.LateAfter}
	later := measure.Times{P99: 5 * measure.LateAfter}
	for name, c := range map[string]struct {
		lags  []measure.Times
		want  measure.Times
		tries int
	}{
		"on time at once":         {[]measure.Times{onTime, late}, onTime, 1},
		"held up once":            {[]measure.Times{late, onTime, late}, onTime, 2},
		"held up twice":           {[]measure.Times{late, later, onTime}, onTime, 3},
		"late whenever":           {[]measure.Times{later, late, later}, late, 3},
		"late from first to last": {[]measure.Times{late, later, later}, late, 3},
	} {
		tries := 0
		got, err := leastLag(func() (measure.Times, error) { tries++; return c.lags[tries-1], nil })
		if got != c.want || tries != c.tries || err != nil {
			t.Errorf("%s: %v after %d, %v", name, got.P99, tries, err)
		}
	}
	if _, err := leastLag(func() (measure.Times, error) { return measure.Times{}, errStill }); !errors.Is(err, errStill) {
		t.Error(err)
	}
}
