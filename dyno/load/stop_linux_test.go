package load

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/internal/processors"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// stopper stops a loop for a while at some instant, in the middle of one of its calls.
type stopper struct {
	measured *atomic.Int64 // when the measured time begins; 0 until that is known
	where    string        // "wait", "send" or "handle"
	after    time.Duration // since the measured time began
	stop     time.Duration // 0 once it is over
}

func (s *stopper) here(where string) {
	measured := s.measured.Load()
	if s.where != where || s.stop == 0 || measured == 0 || clock.Now() < measured+int64(s.after) {
		return
	}
	left := unix.NsecToTimespec(int64(s.stop))
	s.stop = 0
	for unix.Nanosleep(&left, &left) == unix.EINTR {
	}
}

// runStopped runs a load all of whose loops are stopped once.
func runStopped(t *testing.T, s Spec, where string, after, stop time.Duration) *Result {
	t.Helper()
	s.Drain = 0 // as usual
	return runIntercepted(t, s, func(measured *atomic.Int64) func(string) {
		return (&stopper{measured, where, after, stop}).here
	})
}

// runIntercepted runs a load whose loops each tell before their calls. The function is
// given when the measured time begins, which is 0 until it is known.
func runIntercepted(t *testing.T, s Spec, intercept func(measured *atomic.Int64) func(call string)) *Result {
	t.Helper()
	_, open := engine.Pick(s.Engine, s.KernelTimestamps)
	shares, err := s.split(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var measured atomic.Int64
	s.OnStart = measured.Store
	defer processors.Hold(len(shares))()
	var r *Result
	run := func() error {
		r = &Result{planned: newPlanFold(&s), FirstErrors: map[string]i18n.Message{}}
		return (&runner{spec: &s, result: r}).run(t.Context(), shares, func(sh engine.Share) (engine.Engine, error) {
			sh.Intercept = intercept(&measured)
			return open(sh)
		})
	}
	err = run()
	for tries := 0; notBegun(err) && tries < 20; tries++ {
		err = run()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.seal()
	r.judge(&s)
	return r
}

// windowsOf runs a load that is stopped for a time, not at all if that is 0, and returns
// its windows with the longest time of each.
type windowsOf func(t *testing.T, stop time.Duration) (windows []measure.Window, longest func(w *measure.Window) int64)

// notOurs runs a load with a stop in it, and checks that no window that counts has a
// time of half the stop or more, which the server never takes, and that every request
// is accounted for. It never does, unless other programs keep it from its CPU: then
// such times are there without any stop, too, more than once, and nothing can be told, or
// they are not there each time, as with a mistake of ours.
func notOurs(t *testing.T, stop time.Duration, run windowsOf) {
	t.Helper()
	const tries = 10
	uneasy := 0 // tries in which the same load, without a stop, had such a time too
	var found []string
	for range tries {
		windows, longest := run(t, stop)
		if found = oursIn(windows, longest, stop); len(found) == 0 {
			return
		}
		if windows, longest = run(t, 0); slices.ContainsFunc(windows, func(w measure.Window) bool { return time.Duration(longest(&w)) >= stop/4 }) {
			if uneasy++; uneasy > 1 {
				t.Skip("this machine can't carry the load without any stop either")
			}
		}
	}
	for _, what := range found {
		t.Errorf("in each of %d tries, though the load was fine without a stop; in the last: %s", tries, what)
	}
}

// oursIn is what notOurs finds in one load.
func oursIn(windows []measure.Window, longest func(w *measure.Window) int64, stop time.Duration) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	var all measure.Window
	invalid := 0
	for i := range windows {
		w := &windows[i]
		all.Add(w)
		if w.Validity() == finding.Invalid {
			invalid++
		} else if most := time.Duration(longest(w)); most >= stop/2 {
			say("window %d is %s and has a time of %v: lag p99 %v, stall %v, in flight %.1f", w.Index, w.Validity(), most, w.Health.LagP99, w.Stall, w.InFlight)
		}
	}
	if invalid == 0 {
		say("no window is invalid")
	}
	if ended := all.Completed + all.Drained + all.Shed + all.Unfinished + all.Errors.Total(); all.Offered != ended && all.Offered != 0 {
		say("%d offered, %d accounted for", all.Offered, ended)
	}
	return found
}

func longestOf(w *measure.Window) int64 {
	return max(w.Longest(measure.Response), w.Longest(measure.Service), w.Longest(measure.Lag))
}

// TestAStoppedLoopIsNotTheServer: wherever a loop is stopped, and whatever the rest
// of the load, what that does to times is in no window that counts.
func TestAStoppedLoopIsNotTheServer(t *testing.T) {
	t.Parallel()
	target := server(t, replies(okReply))
	open := func(rate float64, connections int) profile.Profile {
		return profile.Profile{Mode: profile.Open, Connections: connections, Rate: rate, Arrivals: profile.Poisson}
	}
	think := profile.Profile{Mode: profile.Closed, Connections: 20, Think: profile.Think{Mean: 20 * time.Millisecond}}
	for _, way := range []string{"uring", "epoll"} {
		if way == "uring" && !engine.HasRing() {
			continue
		}
		for _, c := range []struct {
			profile     profile.Profile
			loops       int
			where       string
			after, stop time.Duration
			pacing      profile.Pacing
		}{
			{open(500, 4), 1, "wait", 800 * time.Millisecond, 400 * time.Millisecond, ""},
			{open(500, 4), 1, "send", 10 * time.Millisecond, 700 * time.Millisecond, ""},
			{open(3000, 10), 2, "handle", 1200 * time.Millisecond, 400 * time.Millisecond, ""},
			{open(3000, 2), 1, "send", 900 * time.Millisecond, 600 * time.Millisecond, profile.TimerPacing},
			{open(3000, 200), 1, "send", 1800 * time.Millisecond, 400 * time.Millisecond, profile.SpinPacing}, // until after the end
			{open(300, 10), 2, "wait", 400 * time.Millisecond, 1200 * time.Millisecond, profile.TimerPacing},
			{profile.Profile{Mode: profile.Closed, Connections: 10}, 1, "handle", 990 * time.Millisecond, 400 * time.Millisecond, ""},
			{profile.Profile{Mode: profile.Closed, Connections: 100}, 2, "send", 500 * time.Millisecond, 400 * time.Millisecond, ""},
			{think, 1, "wait", 1700 * time.Millisecond, 400 * time.Millisecond, ""},
		} {
			name := fmt.Sprintf("%s/%s-%v/loops=%d/%s at %v for %v", way, c.profile.Mode, c.profile.Rate, c.loops, c.where, c.after, c.stop)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := spec(target, c.profile)
				s.Engine, s.Threads, s.Pacing, s.Duration, s.Warmup = way, c.loops, c.pacing, 2*time.Second, 200*time.Millisecond
				notOurs(t, c.stop, func(t *testing.T, stop time.Duration) ([]measure.Window, func(w *measure.Window) int64) {
					r := runStopped(t, s, c.where, c.after, stop)
					for _, f := range r.Findings {
						if f.Name == finding.Little {
							t.Error(f.Detail)
						}
					}
					return r.Windows, longestOf
				})
			})
		}
	}
}

const stoppedLoad = "DYNO_TEST_STOPPED_LOAD"

// TestStoppedLoad is no test: it is the load that TestAStoppedProcessIsNotTheServer
// stops. It writes its windows to its output.
func TestStoppedLoad(t *testing.T) {
	config := os.Getenv(stoppedLoad)
	if config == "" {
		t.Skip("runs as the child of another test")
	}
	var c stoppedSpec
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		t.Fatal(err)
	}
	s := spec(c.Target, c.Profile)
	s.Engine, s.Threads, s.Duration, s.Warmup, s.Drain = c.Engine, c.Threads, c.Duration, c.Warmup, 0
	out := json.NewEncoder(os.NewFile(3, "windows"))
	s.OnStart = func(int64) { out.Encode("started") }
	r, err := begun(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Windows {
		out.Encode(stoppedWindow{r.Windows[i], longestOf(&r.Windows[i])})
	}
}

// stoppedSpec is what the child knows of its load.
type stoppedSpec struct {
	Target, Engine   string
	Profile          profile.Profile
	Threads          int
	Duration, Warmup time.Duration
}

type stoppedWindow struct {
	measure.Window
	Longest int64
}

// runSignalled runs a load in another process, which is stopped by SIGSTOP for a
// while; not at all if stop is 0.
func runSignalled(t *testing.T, s Spec, after, stop time.Duration) (windows []measure.Window, longest map[int]int64) {
	t.Helper()
	config, err := json.Marshal(stoppedSpec{s.Target, s.Engine, s.Profile, s.Threads, s.Duration, s.Warmup})
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStoppedLoad$")
	child.Env = append(os.Environ(), stoppedLoad+"="+string(config))
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	child.ExtraFiles = []*os.File{write}
	err = child.Start()
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(read)
	var started string
	if err := in.Decode(&started); err != nil {
		child.Wait()
		t.Fatal(err)
	}
	if stop > 0 {
		time.Sleep(s.Warmup + after)
		child.Process.Signal(unix.SIGSTOP)
		time.Sleep(stop)
		child.Process.Signal(unix.SIGCONT)
	}
	longest = make(map[int]int64)
	for in.More() {
		var w stoppedWindow
		if err := in.Decode(&w); err != nil {
			t.Fatal(err)
		}
		windows = append(windows, w.Window)
		longest[w.Index] = w.Longest
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	return windows, longest
}

// TestAStoppedProcessIsNotTheServer: the same with a real process that is really
// stopped, near what the engine reaches too.
func TestAStoppedProcessIsNotTheServer(t *testing.T) {
	t.Parallel()
	target := server(t, replies(okReply))
	best, _ := engine.Pick("", false)
	for _, c := range []struct {
		engine      string
		rate        float64
		loops       int
		after, stop time.Duration
	}{
		{best, 500, 1, 1500 * time.Millisecond, 300 * time.Millisecond},
		{"portable", 500, 1, 50 * time.Millisecond, 600 * time.Millisecond},
		{"epoll", 5000, 2, 2500 * time.Millisecond, time.Second}, // beyond the end
		{best, 25_000 / slowdown, 1, 1200 * time.Millisecond, 1200 * time.Millisecond},
		{"epoll", 40_000 / slowdown, 1, 1100 * time.Millisecond, 600 * time.Millisecond},
		{best, 1000, 2, 100 * time.Millisecond, 3 * time.Second},
		{"portable", 5000, 1, 900 * time.Millisecond, 1200 * time.Millisecond},
		{best, 0, 1, 1100 * time.Millisecond, 500 * time.Millisecond},
	} {
		t.Run(fmt.Sprintf("%s/%v/loops=%d/at %v for %v", c.engine, c.rate, c.loops, c.after, c.stop), func(t *testing.T) {
			if c.rate <= 5000 {
				t.Parallel()
			}
			p := profile.Profile{Mode: profile.Open, Connections: 20, Rate: c.rate, Arrivals: profile.Poisson}
			if c.rate == 0 {
				p = profile.Profile{Mode: profile.Closed, Connections: 20}
			}
			s := spec(target, p)
			s.Engine, s.Threads, s.Duration, s.Warmup = c.engine, c.loops, 3*time.Second, 300*time.Millisecond
			if c.rate > 5000 {
				s.Duration = 4 * time.Second
			}
			notOurs(t, c.stop, func(t *testing.T, stop time.Duration) ([]measure.Window, func(w *measure.Window) int64) {
				windows, longest := runSignalled(t, s, c.after, stop)
				return windows, func(w *measure.Window) int64 { return longest[w.Index] }
			})
		})
	}
}

// TestArrivalsAtTheEndOfAWindow: loops that are held while they handle events, again and
// again, and so come late to the end of each window, count what is due then in the window
// in which they count what becomes of it.
func TestArrivalsAtTheEndOfAWindow(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]profile.Profile{
		"open":   {Mode: profile.Open, Connections: 4, Rate: 400, Arrivals: profile.Uniform},
		"closed": {Mode: profile.Closed, Connections: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachLoop(t, func(t *testing.T, kind string) {
				s := spec(server(t, replyAfter(0)), p)
				s.Engine, s.Duration, s.Warmup, s.Drain = kind, 3*time.Second, time.Second, time.Second
				r := runIntercepted(t, s, func(*atomic.Int64) func(string) {
					return func(call string) {
						if call == "handle" {
							time.Sleep(10 * time.Millisecond)
						}
					}
				})
				balance(t, &r.All)
			})
		})
	}
}
