//go:build linux

package rounds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/bench/closedloop"
)

// Contender is a server that takes turns with others.
type Contender struct {
	Tool  string
	Start func(ctx context.Context) (*Server, error)
}

const (
	// startsIn is what starting a server and warming it up takes, about.
	startsIn = 100 * time.Millisecond
	// warmSlices are a server's first, which aren't counted.
	warmSlices = 1
)

// Sliced is an arm of servers that are all up at once and take turns of a slice each, in
// an order of its own in each cycle. A virtual machine's CPUs change their speed every few
// seconds, by more than what is asked for: what is measured within a fraction of a second
// is measured at one speed. All of their slices together take the seconds.
func (l *Lab) Sliced(level string, seconds int, load closedloop.Load, contenders ...Contender) Arm {
	a := Arm{Level: level, Takes: time.Duration(seconds)*time.Second + time.Duration(len(contenders))*(startsIn+warmSlices*l.Options.Slice)}
	for _, c := range contenders {
		a.Tools = append(a.Tools, c.Tool)
	}
	a.Measure = func(ctx context.Context, round int) ([]Trial, error) {
		s := &sliced{lab: l, load: load, random: rand.New(rand.NewPCG(l.Options.Seed, uint64(round)))}
		s.cycles = max(1, int(time.Duration(seconds)*time.Second/(l.Options.Slice*time.Duration(len(contenders)))))
		defer s.end()
		trials := make([]Trial, len(contenders))
		for i, at := range s.random.Perm(len(contenders)) { // nor does one always begin
			c := contenders[at]
			trials[i] = Trial{Tool: c.Tool, Level: level, Started: time.Now(), Figures: map[string]float64{}, Command: []string{"slices", l.Options.Slice.String()}}
			server, err := c.Start(ctx)
			if err != nil {
				return nil, err
			}
			s.turns = append(s.turns, &turns{server: server})
		}
		failed := onCPU(l.Options.GeneratorCPU, func() error { return s.measure(ctx, &trials[0]) })
		failed = errors.Join(failed, s.end())
		for i := range trials {
			trials[i].Beside, trials[i].Disturbed = trials[0].Beside, trials[0].Disturbed
			if failed != nil {
				trials[i].Failed = Tail(failed.Error())
			} else {
				s.turns[i].figures(&trials[i])
			}
		}
		return trials, nil
	}
	return a
}

// sliced is one round of an arm.
type sliced struct {
	lab    *Lab
	load   closedloop.Load
	random *rand.Rand
	cycles int
	turns  []*turns
}

// turns are those of one server.
type turns struct {
	server     *Server
	clients    *closedloop.Clients
	ended      bool
	cpu        []float64 // µs per request, of each slice
	requests   int
	used, took time.Duration
}

// measure warms all servers up and has them take turns.
func (s *sliced) measure(ctx context.Context, t *Trial) (err error) {
	servers := make([]*Server, len(s.turns))
	for i, one := range s.turns {
		servers[i] = one.server
		if one.clients, err = closedloop.Dial(one.server.Address, s.load); err != nil {
			return err
		}
	}
	for range warmSlices {
		for _, one := range s.turns {
			if _, err := one.clients.Run(s.lab.Options.Slice); err != nil {
				return fmt.Errorf("warming up: %w", err)
			}
		}
	}
	_, err = s.lab.Watched(t, func() (time.Duration, error) {
		for range s.cycles {
			for _, i := range s.random.Perm(len(s.turns)) {
				if err := s.turns[i].take(s.lab.Options.Slice); err != nil || ctx.Err() != nil {
					return 0, err
				}
			}
		}
		return 0, nil
	}, servers...)
	return err
}

// take is one turn.
func (t *turns) take(slice time.Duration) error {
	begun, before := time.Now(), ProcessCPU(t.server.PID())
	n, err := t.clients.Run(slice)
	used, took := ProcessCPU(t.server.PID())-before, time.Since(begun)
	if err != nil {
		return err
	}
	t.cpu = append(t.cpu, math.Round(used.Seconds()*1e9/float64(n))/1e3)
	t.requests += n
	t.used, t.took = t.used+used, t.took+took
	return nil
}

// figures are those of all turns together, and what a request cost in each.
func (t *turns) figures(to *Trial) {
	to.Series = map[string][]float64{CPUFigure: t.cpu}
	to.Figures["requests"], to.Figures["errors"] = float64(t.requests), 0
	to.Figures["requests_per_s"] = float64(t.requests) / t.took.Seconds()
	to.Figures["server_cpus"] = t.used.Seconds() / t.took.Seconds()
	to.Figures[CPUFigure] = t.used.Seconds() * 1e6 / float64(t.requests)
	to.Beside.ServerCPU = to.Figures["server_cpus"]
}

// end ends clients and servers, and says which of these had ended before.
func (s *sliced) end() (died error) {
	for _, t := range s.turns {
		if t.ended {
			continue
		}
		if t.ended = true; t.clients != nil {
			t.clients.Close()
		}
		if err := t.server.End(); err != nil {
			died = errors.Join(died, fmt.Errorf("%w: %s", err, t.server.Says()))
		}
	}
	return died
}

// onCPU has f run on one CPU, as load generators that are programs do.
func onCPU(cpu int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, only unix.CPUSet
	only.Set(cpu)
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	if err := unix.SchedSetaffinity(0, &only); err != nil {
		return fmt.Errorf("keeping the clients on CPU %d: %w", cpu, err)
	}
	defer unix.SchedSetaffinity(0, &before)
	return f()
}
