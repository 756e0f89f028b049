//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dyno/lab/machine"
)

// recordVersion changes when records can't be read as before.
const recordVersion = 2

// record is what is archived of one campaign: every trial, not only medians.
type record struct {
	Version  int                 `json:"version"`
	What     string              `json:"what"`
	Started  time.Time           `json:"started"`
	Command  []string            `json:"command"`
	Machine  machine.Fingerprint `json:"machine"`
	Versions map[string]string   `json:"versions"`
	LeftOut  []string            `json:"left_out,omitempty"` // tools and levels that were not measured, and why
	Settings settings            `json:"settings"`
	Capacity float64             `json:"capacity,omitempty"` // requests per second that rates are a share of
	Ceilings map[string]float64  `json:"ceilings,omitempty"` // closed loops, requests per second
	Trials   []trial             `json:"trials"`

	path string
}

// settings are those under which a record may be continued.
type settings struct {
	Rounds      int    `json:"rounds"`
	Seconds     int    `json:"seconds"`
	Connections int    `json:"connections"`
	Seed        uint64 `json:"seed"`
}

// trial is one tool's share of one round.
type trial struct {
	Round     int                  `json:"round"`
	Tool      string               `json:"tool"`
	Level     string               `json:"level,omitempty"`
	Started   time.Time            `json:"started"`
	Command   []string             `json:"command"`
	Figures   map[string]float64   `json:"figures"`
	Says      []string             `json:"says,omitempty"`
	Series    map[string][]float64 `json:"series,omitempty"`
	Windows   []window             `json:"windows,omitempty"`
	Beside    beside               `json:"beside"`
	Disturbed string               `json:"disturbed,omitempty"`
	Failed    string               `json:"failed,omitempty"`
}

// note adds what is left out, once.
func (r *record) note(why string) {
	if !slices.Contains(r.LeftOut, why) {
		r.LeftOut = append(r.LeftOut, why)
	}
}

// has reports whether a trial is done already.
func (r *record) has(round int, tool, level string) bool {
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Round == round && t.Tool == tool && t.Level == level {
			return true
		}
	}
	return false
}

// save writes the record so that a crash leaves the old one or the new one.
func (r *record) save() error {
	document, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return err
	}
	next := r.path + ".next"
	if err := os.WriteFile(next, append(document, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(next, r.path)
}

// readRecord reads an archived record.
func readRecord(path string) (*record, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := record{path: path}
	if err := json.Unmarshal(document, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("%s is a record of version %d, this program reads %d: it was written by an earlier one", path, r.Version, recordVersion)
	}
	return &r, nil
}
