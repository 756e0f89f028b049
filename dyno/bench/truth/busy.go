//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// machineCases are machines that are busy with something else, and services whose
// capacity is known.
func machineCases() []Case {
	return []Case{
		{"machine/capacity-1000", "one request at a time, 1 ms each: 1,000/s are its capacity", capacityOf(time.Millisecond, 0)},
		{"machine/capacity-400", "one request at a time, 2.5 ms each: 400/s are its capacity", capacityOf(2500*time.Microsecond, 0)},
		{"machine/capacity-beside-hogs", "the same 1,000/s, while every CPU is also used by another program", capacityOf(time.Millisecond, -1)},
		{"machine/load-beside-hogs", "every CPU is also used by another program", loadBesideHogs},
		{"machine/load-beside-one-hog", "a program uses the CPU that the load is pinned to", loadBesideOneHog},
	}
}

// hog uses a CPU until stop; cpu is where it is pinned, -1 for one on each CPU.
func (l *lab) hog(ctx context.Context, cpu int) (stop func(), err error) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, err
	}
	var running []*exec.Cmd
	stop = func() {
		for _, cmd := range running {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	for i := range 1024 {
		if !all.IsSet(i) || cpu >= 0 && i != cpu {
			continue
		}
		cmd := exec.CommandContext(ctx, l.self, "serve", "-hog")
		if err := cmd.Start(); err != nil {
			stop()
			return nil, err
		}
		running = append(running, cmd)
		var one unix.CPUSet
		one.Set(i)
		if err := unix.SchedSetaffinity(cmd.Process.Pid, &one); err != nil {
			stop()
			return nil, err
		}
	}
	if len(running) == 0 {
		return nil, fmt.Errorf("CPU %d is not ours to use", cpu)
	}
	return stop, nil
}

// whileBusy runs do while hogs run.
func (l *lab) whileBusy(ctx context.Context, cpu int, do func() error) error {
	stop, err := l.hog(ctx, cpu)
	if err != nil {
		return err
	}
	defer stop()
	return do()
}

func loadBesideHogs(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, -1, func() error { return hogged(ctx, l, e) })
}

func loadBesideOneHog(ctx context.Context, l *lab, e *Examined) error {
	return l.whileBusy(ctx, 0, func() error { return hogged(ctx, l, e, "--cpus", "0") })
}

func hogged(ctx context.Context, l *lab, e *Examined, args ...string) error {
	return l.serveApart(ctx, faults{}, func(url string) error {
		r, err := l.load(ctx, e, nil, nil, append(args, "-c", "16", "-d", "4s", url)...)
		if err != nil {
			return err
		}
		e.say("validity", r.Validity != "valid", r.says(), "another program used the CPUs")
		text := fmt.Sprint(r.Findings) + r.stderr
		e.say("who it was", mentions(text, "truth"), r.says(), "the program truth")
		return nil
	})
}

// serveApart runs a service in a process of its own: what a process under the
// service's does is rightly taken for the service's own work, and the hogs are
// under this one.
func (l *lab) serveApart(ctx context.Context, f faults, do func(url string) error) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := ln.Addr().String()
	ln.Close()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, l.self, "serve", "-delay", f.Delay.String(), "-serial", f.Serial.String(), fmt.Sprintf("-spin=%t", f.Spin))
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return do("http://" + addr + "/")
		}
		if time.Now().After(end) {
			return fmt.Errorf("the service never listened: %w", err)
		}
	}
}

// capacityReport is what dyno capacity --json says, as far as it is asked about.
type capacityReport struct {
	Holds *struct {
		Rate float64 `json:"rate"`
	} `json:"holds"`
	Fails *struct {
		Rate float64 `json:"rate"`
	} `json:"fails"`
	Validity string    `json:"validity"`
	Findings []finding `json:"findings"`
}

// capacityOf searches the capacity of a service that takes requests one at a time.
// At the objective, responses below 100 ms at the 90th percentile, any rate below
// 1/serial holds, and one above it fails as soon as the backlog of a trial of 3 s
// is 100 ms: hence some percent either way.
func capacityOf(serial time.Duration, hogs int) func(context.Context, *lab, *Examined) error {
	truth := float64(time.Second) / float64(serial)
	return func(ctx context.Context, l *lab, e *Examined) error {
		if hogs != 0 {
			stop, err := l.hog(ctx, hogs)
			if err != nil {
				return err
			}
			defer stop()
		}
		return l.serveApart(ctx, faults{Serial: serial}, func(url string) error {
			a, err := l.ask(ctx, e, nil, nil, "capacity", "--json", "--quiet", "--objective", "p90<100ms", "--trial", "3s", "--arrivals", "uniform", "-c", "64", url)
			if err != nil {
				return err
			}
			var r capacityReport
			if err := json.Unmarshal([]byte(a.stdout), &r); err != nil {
				return fmt.Errorf("dyno capacity --json: %w\n%s", err, a.stderr)
			}
			low, high := "–", "–"
			right := true
			if r.Holds != nil {
				low = fmt.Sprintf("%.0f", r.Holds.Rate)
				right = right && r.Holds.Rate <= 1.06*truth
			}
			if r.Fails != nil {
				high = fmt.Sprintf("%.0f", r.Fails.Rate)
				right = right && r.Fails.Rate >= 0.94*truth
			}
			said := fmt.Sprintf("holds %s, fails %s, %s", low, high, strings.ToUpper(r.Validity))
			if !right && strings.EqualFold(r.Validity, "invalid") {
				e.silent("capacity", said, fmt.Sprintf("%.0f/s", truth))
				return nil
			}
			e.say("capacity", right, said, fmt.Sprintf("%.0f/s", truth))
			e.heard(fmt.Sprint(r.Findings))
			if hogs != 0 {
				e.say("validity", r.Validity != "" && !strings.EqualFold(r.Validity, "valid"), said, "another program used the CPUs")
			}
			return nil
		})
	}
}
