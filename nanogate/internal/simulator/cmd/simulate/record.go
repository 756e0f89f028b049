//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// record is what came of runs that went on from one another, as it is archived.
type record struct {
	Of         string         `json:"of"`   // the commit, of which "-dirty" differs; empty if it isn't known
	Size       int            `json:"size"` // exchanges of a world, about
	First      uint64         `json:"first_seed"`
	Last       uint64         `json:"last_seed"`
	Worlds     int            `json:"worlds"`
	Exchanges  int            `json:"exchanges"`
	Seconds    float64        `json:"cpu_seconds"`
	Counts     map[string]int `json:"counts"`
	Violations []string       `json:"violations"`
	Go         string         `json:"go"`
	At         time.Time      `json:"at"`
}

// readRecord reads what is there already, of worlds of this size by this build: a record says
// of all its worlds what they are of.
func readRecord(file string, size int, of string) (*record, error) {
	r := &record{Of: of, Size: size, Counts: map[string]int{}, Violations: []string{}}
	b, err := os.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the record: %w", err)
	case r.Of != of:
		return nil, fmt.Errorf("%s is of a build of %q, not of %q: write to another file", file, r.Of, of)
	case r.Size != size:
		return nil, fmt.Errorf("%s is of worlds of %d exchanges, not %d: write to another file, or say -exchanges %d", file, r.Size, size, r.Size)
	}
	return r, nil
}

// tell says now and then how far it is, and keeps the record. stop ends that.
func (r *run) tell(before *record, file string, seed uint64, every time.Duration) (stop func() error) {
	if every <= 0 {
		return func() error { return r.keep(before, file, seed) }
	}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(every):
			}
			if err := r.keep(before, file, seed); err != nil {
				fmt.Fprintln(os.Stderr, "simulate:", err)
			}
			r.mu.Lock()
			fmt.Printf("%s seed %d: %d worlds, %d exchanges, %d failures\n", time.Now().Format(time.TimeOnly), r.through, before.Worlds+r.worlds, before.Exchanges+r.done, len(before.Violations)+r.failures)
			r.mu.Unlock()
		}
	}()
	return func() error {
		close(over)
		<-done
		return r.keep(before, file, seed)
	}
}

// keep writes the record. Seeds that aren't done when it is interrupted are left out of it, if
// those behind them are.
func (r *run) keep(before *record, file string, seed uint64) error {
	if file == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := *before
	now.First, now.Last, now.Go, now.At = seed, max(before.Last, r.through), runtime.Version(), time.Now().UTC().Truncate(time.Second)
	if before.Worlds > 0 {
		now.First = before.First
	}
	now.Worlds, now.Exchanges, now.Seconds = before.Worlds+r.worlds, before.Exchanges+r.done, before.Seconds+processor().Seconds()
	now.Counts = map[string]int{}
	for _, counts := range []map[string]int{before.Counts, r.counts} {
		for what, n := range counts {
			now.Counts[what] += n
		}
	}
	now.Violations = append(before.Violations[:len(before.Violations):len(before.Violations)], r.failed...)
	b, err := json.MarshalIndent(&now, "", "  ")
	if err != nil {
		return err
	}
	part := file + ".part"
	if err := os.WriteFile(part, append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}
