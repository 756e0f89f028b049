package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/stats/statstest"
)

// Trace is how fast a machine's CPUs were from moment to moment.
type Trace struct {
	Version int                 `json:"version"`
	Command []string            `json:"command"`
	Machine machine.Fingerprint `json:"machine"`
	Started time.Time           `json:"started"`
	Every   float64             `json:"every_s"`
	// Slow has, for each CPU, logarithms of how much longer the wide work took than at the
	// CPU's best.
	Slow map[int][]float64 `json:"slow"`
}

// traceEvery is far below how long a state lasts, and leaves the CPUs idle nine tenths of
// the time.
const traceEvery = 25 * time.Millisecond

// recordTrace reads the speed of all CPUs for so long.
func recordTrace(ctx context.Context, length time.Duration) (*Trace, error) {
	t := &Trace{Version: recordVersion, Machine: machine.Read(), Started: time.Now().UTC(), Every: traceEvery.Seconds(), Slow: map[int][]float64{}}
	rates := map[int][]float64{}
	ticks := time.NewTicker(traceEvery)
	defer ticks.Stop()
	for end := time.Now().Add(length); time.Now().Before(end); {
		readings, err := speed.Measure(machine.OnlineCPUs())
		if err != nil {
			return nil, err
		}
		for _, r := range readings {
			rates[r.CPU] = append(rates[r.CPU], r.Wide)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-ticks.C:
		}
	}
	for cpu, list := range rates {
		best := slices.Max(list)
		for _, rate := range list {
			t.Slow[cpu] = append(t.Slow[cpu], math.Round(1e4*math.Log(best/rate))/1e4)
		}
	}
	return t, nil
}

// hosts are the CPUs of a trace.
func (t *Trace) hosts() (list []statstest.Host) {
	for cpu, slow := range t.Slow {
		list = append(list, statstest.TraceHost(fmt.Sprintf("recorded CPU %d", cpu), slow, t.Every))
	}
	slices.SortFunc(list, func(a, b statstest.Host) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (t *Trace) save(folder, name string) (path string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	path = filepath.Join(folder, name+".json.gz")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	if err := json.NewEncoder(z).Encode(t); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return path, f.Close()
}

func readTrace(path string) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("-trace: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("-trace %s: %w", path, err)
	}
	var t Trace
	if err := json.NewDecoder(z).Decode(&t); err != nil {
		return nil, fmt.Errorf("-trace %s: %w", path, err)
	}
	if t.Version != recordVersion || t.Every <= 0 || len(t.Slow) == 0 {
		return nil, fmt.Errorf("-trace %s is no trace that -what trace recorded", path)
	}
	return &t, nil
}

// trace records this machine's speed.
func (o *options) trace(ctx context.Context, command []string, out io.Writer) error {
	t, err := recordTrace(ctx, o.length)
	if err != nil {
		return err
	}
	t.Command = command
	path, err := t.save(o.out, o.name)
	if err != nil {
		return err
	}
	for _, cpu := range slices.Sorted(maps.Keys(t.Slow)) {
		fmt.Fprintf(out, "CPU %d: %s\n", cpu, describe(t.Slow[cpu], t.Every))
	}
	_, err = fmt.Fprintln(out, path)
	return err
}

// describe tells two states apart, where there are two: in the middle between the slowest
// and the fastest twentieth, if the two are a twentieth of the speed apart.
func describe(slow []float64, every float64) string {
	sorted := slices.Sorted(slices.Values(slow))
	fast, slowest := sorted[len(sorted)/20], sorted[len(sorted)-1-len(sorted)/20]
	if slowest-fast < 0.05 {
		return fmt.Sprintf("one speed, within %.1f %%", 100*(math.Exp(slowest-fast)-1))
	}
	middle := (fast + slowest) / 2
	isSlow, changes, total := slow[0] > middle, 0, 0
	for _, x := range slow {
		if now := x > middle; now != isSlow {
			isSlow = now
			changes++
		}
		if isSlow {
			total++
		}
	}
	seconds := every * float64(len(slow))
	share := float64(total) / float64(len(slow))
	stays := float64(max(changes, 1)) / 2
	return fmt.Sprintf("two speeds, %.0f %% apart; slow in %.0f %% of the time, for %.1f s at a time; fast for %.1f s", 100*(math.Exp(slowest-fast)-1), 100*share, seconds*share/stays, seconds*(1-share)/stays)
}
