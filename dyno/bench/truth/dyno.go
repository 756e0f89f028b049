//go:build linux

package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// lab is what cases work with.
type lab struct {
	dyno string // the binary
	self string // this program, for subjects of studies
	open string // the same with its symbols, as services usually have them; empty: not asked for yet
	dir  string // a folder of its own, removed at the end

	each, seconds int // of causes that are to be explained: how often each is injected, and for how long
}

func newLab(ctx context.Context, dyno string) (*lab, error) {
	dir, err := os.MkdirTemp("", "dyno-truth-")
	if err != nil {
		return nil, err
	}
	l := &lab{dyno: dyno, dir: dir}
	if l.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if l.dyno == "" {
		l.dyno = filepath.Join(dir, "dyno")
		if err := rounds.Build(ctx, l.dyno, "dyno/cmd/dyno"); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// withSymbols is this program linked with symbols, which "go run" leaves out.
func (l *lab) withSymbols(ctx context.Context) (string, error) {
	if l.open != "" {
		return l.open, nil
	}
	if f, err := elf.Open(l.self); err == nil {
		_, err = f.Symbols()
		f.Close()
		if err == nil {
			l.open = l.self
			return l.open, nil
		}
	}
	file := filepath.Join(l.dir, "truth")
	if err := rounds.Build(ctx, file, "dyno/bench/truth"); err != nil {
		return "", err
	}
	l.open = file
	return file, nil
}

func (l *lab) close() { os.RemoveAll(l.dir) }

// asked is what dyno printed for a command.
type asked struct {
	code           int
	stdout, stderr string
}

// stop is a time in which dyno stands still.
type stop struct{ At, For time.Duration }

// ask runs dyno with the arguments. Stops count from its start, or, if begun is
// set, from when that is closed.
func (l *lab) ask(ctx context.Context, e *Examined, begun <-chan struct{}, stops []stop, args ...string) (asked, error) {
	return l.askWhile(ctx, e, l.dir, begun, stops, args...)
}

// askIn runs dyno in a folder.
func (l *lab) askIn(ctx context.Context, e *Examined, dir string, args ...string) (asked, error) {
	return l.askWhile(ctx, e, dir, nil, nil, args...)
}

func (l *lab) askWhile(ctx context.Context, e *Examined, dir string, begun <-chan struct{}, stops []stop, args ...string) (asked, error) {
	e.Commands = append(e.Commands, "dyno "+strings.Join(args, " "))
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.dyno, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DYNO_HOME="+filepath.Join(l.dir, "home"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return asked{}, err
	}
	halted, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(halted)
		halt(cmd.Process.Pid, begun, over, stops)
	}()
	err := cmd.Wait()
	close(over)
	<-halted
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return asked{}, err
	}
	return asked{cmd.ProcessState.ExitCode(), out.String(), errs.String()}, nil
}

// halt stops and continues a process. What was stopped is continued whatever
// happens.
func halt(pid int, begun, over <-chan struct{}, stops []stop) {
	if len(stops) == 0 {
		return
	}
	if begun != nil {
		select {
		case <-begun:
		case <-over:
			return
		}
	}
	start := time.Now()
	for _, s := range stops {
		select {
		case <-over:
			return
		case <-time.After(time.Until(start.Add(s.At))):
		}
		if syscall.Kill(pid, syscall.SIGSTOP) != nil {
			return
		}
		time.Sleep(s.For)
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// loadReport is what dyno load --json says, as far as it is asked about.
type loadReport struct {
	Requests   uint64   `json:"requests"`
	Throughput *float64 `json:"throughput"`
	Offered    uint64   `json:"offered"`
	Unfinished uint64   `json:"unfinished"`
	Drained    uint64   `json:"drained"`
	Carried    uint64   `json:"carried"`
	Failed     uint64   `json:"failed"`
	Shed       uint64   `json:"shed"`
	CutOff     uint64   `json:"cut_off"`
	CPU        *float64 `json:"generator_cpu_us_per_request"`
	All        struct {
		Sent     uint64            `json:"sent"`
		Statuses map[string]uint64 `json:"statuses"`
	} `json:"all"`
	Errors     map[string]any                 `json:"errors"`
	Latency    map[string]map[string]*float64 `json:"latency_us"`
	AtLeast    map[string][]string            `json:"latency_at_least"`
	Censored   float64                        `json:"censored"`
	Validity   string                         `json:"validity"`
	Findings   []finding                      `json:"findings"`
	LeftOut    int                            `json:"windows_left_out"`
	Statuses   map[string]uint64              `json:"statuses"`
	Thresholds []struct {
		Threshold string `json:"threshold"`
		Decision  string `json:"verdict"`
	} `json:"thresholds"`
	ByRequest []kindReport `json:"by_request"`
	Windows   []struct {
		Second   int                 `json:"second"`
		Offered  uint64              `json:"offered"`
		Requests uint64              `json:"requests"`
		Validity string              `json:"validity"`
		Response map[string]*float64 `json:"response_us"`
		Findings []finding           `json:"findings"`
	} `json:"windows"`

	asked
}

// kindReport is what is said of a kind of request of a mix.
type kindReport struct {
	Name       string              `json:"name"`
	Requests   uint64              `json:"requests"`
	Drained    uint64              `json:"drained"`
	Unfinished uint64              `json:"unfinished"`
	Response   map[string]*float64 `json:"response_us"`
}

type finding struct {
	Name     string `json:"name"`
	Validity string `json:"validity"`
	Detail   string `json:"detail"`
}

// load runs dyno load on a URL.
func (l *lab) load(ctx context.Context, e *Examined, begun <-chan struct{}, stops []stop, args ...string) (*loadReport, error) {
	a, err := l.ask(ctx, e, begun, stops, append([]string{"load", "--json", "--no-calibration", "--quiet"}, args...)...)
	if err != nil {
		return nil, err
	}
	r := &loadReport{asked: a}
	if strings.TrimSpace(a.stdout) == "" {
		return r, nil // it could not even begin; the case says whether that is right
	}
	if err := json.Unmarshal([]byte(a.stdout), r); err != nil {
		return nil, fmt.Errorf("dyno load --json: %w\n%s", err, a.stderr)
	}
	return r, nil
}

// unusable holds for a load of which no window counts: there are counts, and no figures.
func (r *loadReport) unusable() bool { return r.Throughput == nil && r.All.Sent > 0 }

// figure is a time in µs of a clock; known is false if it is only a lower bound,
// there false if nothing is said.
func (r *loadReport) figure(clock, name string) (us float64, known, there bool) {
	v := r.Latency[clock][name]
	if v == nil {
		return 0, false, false
	}
	for _, bound := range r.AtLeast[clock] {
		if bound == name {
			return *v, false, true
		}
	}
	return *v, true, true
}

// errorsOf is the count of a kind of error.
func (r *loadReport) errorsOf(kind string) float64 {
	n, _ := r.Errors[kind].(float64)
	return n
}

// failed is the sum of all kinds.
func (r *loadReport) failed() (sum float64) {
	for _, kind := range []string{"connect", "timeout", "reset", "status", "body", "expect"} {
		sum += r.errorsOf(kind)
	}
	return sum
}

// finding is that of the load or of a window which has the name; nil if there is none.
func (r *loadReport) finding(name string) *finding {
	for i := range r.Findings {
		if r.Findings[i].Name == name {
			return &r.Findings[i]
		}
	}
	return nil
}

func (r *loadReport) says() string {
	var names []string
	for _, f := range r.Findings {
		names = append(names, f.Name)
	}
	return fmt.Sprintf("%s (%s), %d windows left out, exit %d", strings.ToUpper(r.Validity), strings.Join(names, ", "), r.LeftOut, r.code)
}
