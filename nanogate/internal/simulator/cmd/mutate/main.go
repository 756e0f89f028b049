//go:build linux

// Command mutate says how good the simulators are at finding mistakes: it builds the gateway, or an
// app of nano, with one mistake at a time, which mutations.txt has, and simulates until something doesn't hold.
//
//	scripts/mutate [-only exchange] [-cpu 60s] [-shrink 1000]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run() error {
	only := flag.String("only", "", "the part, or the name of a mutation, that is wanted; \"\": all")
	budget := flag.Duration("cpu", time.Minute, "of a CPU after which a mutation is given up")
	most := flag.Int("exchanges", 0, "that are simulated before a mutation is given up; 0: any")
	seed := flag.Uint64("seed", 1, "the first seed of each")
	shrink := flag.Int("shrink", 0, "runs to make the world smaller in which it was found")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	list, err := mutations()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	t := trial{folder: folder, args: []string{"-seeds", "100000000", "-total", strconv.Itoa(*most), "-seed", strconv.FormatUint(*seed, 10), "-cpu", budget.String(), "-shrink", strconv.Itoa(*shrink)}, gateway: []string{"-exchanges", "300", "-workers", "1"}}
	found, all := 0, 0
	for _, m := range list {
		if *only != "" && *only != m.Part && *only != m.Name {
			continue
		}
		said, ok, err := t.of(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if all++; ok {
			found++
		}
		fmt.Printf("%-9s %-26s %s\n", m.Part, m.Name, said)
	}
	fmt.Printf("%d of %d found\n", found, all)
	if n := len(t.shrunk); n > 0 {
		slices.Sort(t.shrunk)
		few, _ := slices.BinarySearch(t.shrunk, handful+1)
		fmt.Printf("%d were made smaller: %d to at most %d things that happen, half of them to at most %d, the largest to %d\n", n, few, handful, t.shrunk[(n-1)/2], t.shrunk[n-1])
	}
	return nil
}

// trial is how mutations are tried.
type trial struct {
	folder  string
	args    []string
	gateway []string // for the gateway's simulator
	shrunk  []int    // to how many things that happen worlds were made smaller
}

// handful is how many things that happen may be in a world that was made smaller.
const handful = 20

var (
	summary = regexp.MustCompile(`(?m)^(\d+) worlds, (\d+) exchanges, (\d+) failures`)
	first   = regexp.MustCompile(`(?m)^-?[0-9.]+ ms: ([a-z0-9-]+):`)
	smaller = regexp.MustCompile(`(?m)^of (\d+) things that happen (\d+) will do`)
)

// of tries one. It says whether and how it was found.
func (t *trial) of(ctx context.Context, m *mutation) (said string, found bool, err error) {
	overlay, err := m.overlay(t.folder)
	if err != nil {
		return "", false, err
	}
	program := filepath.Join(t.folder, "simulate")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", program, m.simulator())
	if out, err := build.CombinedOutput(); err != nil {
		return "", false, fmt.Errorf("building: %w\n%s", err, out)
	}
	args := t.args
	if m.Part != nano {
		args = append(args[:len(args):len(args)], t.gateway...)
	}
	simulate := exec.CommandContext(ctx, program, args...)
	out, err := simulate.CombinedOutput()
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	exit := (*exec.ExitError)(nil)
	used := simulate.ProcessState.UserTime() + simulate.ProcessState.SystemTime()
	switch done := summary.FindSubmatch(out); {
	case killed(err):
		return fmt.Sprintf("found: it comes to no end in %.0f s", used.Seconds()), true, nil
	case err == nil:
		return fmt.Sprintf("MISSED in %s exchanges, %.0f s: %s", done[2], used.Seconds(), m.What), false, nil
	case !errors.As(err, &exit):
		return "", false, err
	case done == nil:
		return "found: the process died: " + string(bytes.TrimSpace(out[:min(len(out), 100)])), true, nil
	default:
		kind := "?"
		if k := first.FindSubmatch(out); k != nil {
			kind = string(k[1])
		}
		said = fmt.Sprintf("found after %7s exchanges, %4.1f s: %s", done[2], used.Seconds(), kind)
		if s := smaller.FindSubmatch(out); s != nil {
			said += fmt.Sprintf("; of %s things that happen %s will do", s[1], s[2])
			if n, err := strconv.Atoi(string(s[2])); err == nil {
				t.shrunk = append(t.shrunk, n)
			}
		}
		return said, true, nil
	}
}

// killed reports whether the system has ended it, which it does to a world that has come to no
// end by the double of its time.
func killed(err error) bool {
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// overlay writes the files as they are with the mistake, and which ones they stand for.
func (m *mutation) overlay(folder string) (string, error) {
	replace := map[string]string{}
	for i, path := range m.Files() {
		text, err := m.Apply(path)
		if err != nil {
			return "", err
		}
		whole, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		at := filepath.Join(folder, fmt.Sprintf("%d-%s", i, filepath.Base(path)))
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[whole] = at
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	at := filepath.Join(folder, "overlay.json")
	return at, os.WriteFile(at, b, 0o600)
}

// Apply is a file with the mistake in it.
func (m *mutation) Apply(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := string(b)
	for _, c := range m.Changes {
		if c.File != path {
			continue
		}
		if n := strings.Count(text, c.Old); n != 1 {
			return "", fmt.Errorf("mutations.txt: %s: what it changes in %s is there %d times, and has to be once:\n%s", m.Name, path, n, c.Old)
		}
		text = strings.Replace(text, c.Old, c.New, 1)
	}
	return text, nil
}
