//go:build linux

package rounds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/bench/closedloop"
)

// worksVariable makes this test a server on the address it holds, which works for so many
// microseconds of CPU time on each request as the other says, or responds 404.
const (
	worksVariable = "DYNO_TEST_WORKS_ON"
	workVariable  = "DYNO_TEST_WORK"
)

// TestWorks is the server of the tests below.
func TestWorks(t *testing.T) {
	address := os.Getenv(worksVariable)
	if address == "" {
		t.Skip("a part of another test")
	}
	work, err := time.ParseDuration(os.Getenv(workVariable))
	t.Fatal(http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		for end := ProcessCPU(os.Getpid()) + work; ProcessCPU(os.Getpid()) < end; {
		}
		_, _ = io.WriteString(w, "done")
	})))
}

// working is such a server.
func working(t *testing.T, name, work string) Contender {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip(err)
	}
	return Contender{name, func(ctx context.Context) (*Server, error) {
		return StartServer(ctx, name, 0, func(address string) []string {
			return []string{"env", worksVariable + "=" + address, workVariable + "=" + work, self, "-test.run=^TestWorks$"}
		}, nil)
	}}
}

// Of two servers that take turns one works ten times as long on a request: each trial has
// the CPU time of its own, in every turn.
func TestSliced(t *testing.T) {
	l := &Lab{Options: &Options{Slice: 20 * time.Millisecond, Seed: 1}, Watch: NewWatch()}
	defer l.Watch.Close()
	load := closedloop.Load{Connections: 1, AtOnce: 1, Speak: closedloop.HTTP1("/")}
	a := l.Sliced("a level", 1, load, working(t, "quick", "200us"), working(t, "slow", "2ms"))
	if fmt.Sprint(a.Tools) != "[quick slow]" || a.Level != "a level" || a.Takes < time.Second {
		t.Errorf("%+v", a)
	}
	trials, err := a.Measure(t.Context(), 0)
	if err != nil || len(trials) != 2 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	for _, one := range trials {
		least := map[string]float64{"quick": 200, "slow": 2000}[one.Tool]
		if one.Failed != "" || one.Figures["requests"] < 25 || least == 0 || one.Figures[CPUFigure] < least || len(one.Series[CPUFigure]) != 25 {
			t.Errorf("%s: %+v", one.Tool, one)
		}
		for _, us := range one.Series[CPUFigure] {
			if us < least {
				t.Errorf("%s: a turn with %v µs a request", one.Tool, us)
			}
		}
		if one.Beside.Load == 0 || one.Beside.ServerCPU == 0 {
			t.Errorf("%s: %+v", one.Tool, one.Beside)
		}
	}

	a = l.Sliced("", 1, load, working(t, "quick", "1us"), working(t, "broken", "no time"))
	trials, err = a.Measure(t.Context(), 0)
	if err != nil || len(trials) != 2 || !strings.Contains(trials[0].Failed, "404") || trials[1].Failed == "" {
		t.Errorf("%+v, %v", trials, err)
	}
}

// A server that ends by itself spoils its trial, and so does a load that fails.
func TestOnServer(t *testing.T) {
	c := working(t, "one", "1us")
	for _, of := range []struct {
		failed string
		load   func(context.Context, *Server, *Trial) error
	}{
		{"", func(_ context.Context, s *Server, one *Trial) error {
			one.Figures["cpu"] = ProcessCPU(s.PID()).Seconds()
			return nil
		}},
		{"nothing came", func(context.Context, *Server, *Trial) error { return errors.New("nothing came") }},
		{"the server died", func(_ context.Context, s *Server, _ *Trial) error {
			return errors.Join(s.cmd.Process.Kill(), func() error {
				for end := time.Now().Add(10 * time.Second); !ended(s.PID()) && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
				}
				return nil
			}())
		}},
	} {
		trials, err := OnServer(t.Context(), Trial{Tool: "one"}, c.Start, of.load)
		if err != nil || len(trials) != 1 || (trials[0].Failed == "") != (of.failed == "") || !strings.Contains(trials[0].Failed, of.failed) {
			t.Errorf("%q: %+v, %v", of.failed, trials, err)
		}
		if of.failed == "" && trials[0].Figures["cpu"] <= 0 {
			t.Error("a server that took no CPU time")
		}
	}
}
