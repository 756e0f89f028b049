//go:build linux

package rounds

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/machine"
)

// RecordVersion changes when records can't be read as before.
const RecordVersion = 2

// Record is what is archived of one campaign: every trial, not only medians.
type Record struct {
	Version  int                 `json:"version"`
	What     string              `json:"what"`
	Started  time.Time           `json:"started"`
	Command  []string            `json:"command"`
	Machine  machine.Fingerprint `json:"machine"`
	Versions map[string]string   `json:"versions"`
	LeftOut  []string            `json:"left_out,omitempty"` // tools and levels that were not measured, and why
	Settings Settings            `json:"settings"`
	Capacity float64             `json:"capacity,omitempty"` // requests per second that rates are a share of
	Ceilings map[string]float64  `json:"ceilings,omitempty"` // closed loops, requests per second
	Trials   []Trial             `json:"trials"`

	Path string `json:"-"` // file of the record
}

// Settings are those under which a record may be continued.
type Settings struct {
	Rounds      int    `json:"rounds"`
	Seconds     int    `json:"seconds"`
	Connections int    `json:"connections"`
	Seed        uint64 `json:"seed"`
	SliceMS     int64  `json:"slice_ms,omitempty"` // a server's turn, where servers take turns within a trial
}

// Trial is one tool's share of one round. What is compared may be load generators
// or servers; either is the tool.
type Trial struct {
	Round     int                  `json:"round"`
	Tool      string               `json:"tool"`
	Level     string               `json:"level,omitempty"`
	Started   time.Time            `json:"started"`
	Command   []string             `json:"command"`
	Figures   map[string]float64   `json:"figures"`
	Says      []string             `json:"says,omitempty"`
	Series    map[string][]float64 `json:"series,omitempty"`
	Windows   []Window             `json:"windows,omitempty"`
	Beside    Beside               `json:"beside"`
	Disturbed string               `json:"disturbed,omitempty"`
	Failed    string               `json:"failed,omitempty"`
}

// Note adds what is left out, once.
func (r *Record) Note(why string) {
	if !slices.Contains(r.LeftOut, why) {
		r.LeftOut = append(r.LeftOut, why)
	}
}

// Has reports whether a trial is done already.
func (r *Record) Has(round int, tool, level string) bool {
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Round == round && t.Tool == tool && t.Level == level {
			return true
		}
	}
	return false
}

// Save writes the record so that a crash leaves the old one or the new one.
func (r *Record) Save() error {
	document, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.Path), 0o755); err != nil {
		return err
	}
	next := r.Path + ".next"
	if err := os.WriteFile(next, append(document, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(next, r.Path)
}

// ReadRecord reads an archived record, which may be compressed: NAME.json.gz.
func ReadRecord(path string) (*Record, error) {
	document, err := readFile(path)
	if err != nil {
		return nil, err
	}
	r := Record{Path: path}
	if err := json.Unmarshal(document, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Version != RecordVersion {
		return nil, fmt.Errorf("%s is a record of version %d, this program reads %d: it was written by an earlier one", path, r.Version, RecordVersion)
	}
	return &r, nil
}

// readFile reads a file, and what gzip made of one if the name says so.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !strings.HasSuffix(path, ".gz") {
		return io.ReadAll(file)
	}
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	document, err := io.ReadAll(plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return document, nil
}

// Window is one second of a dyno load.
type Window struct {
	Second   int      `json:"second"`
	Validity string   `json:"validity"`
	Findings []string `json:"findings,omitempty"`
}

// Open goes on with the record of fresh's path, if there is one and it has the
// same settings, or returns fresh.
func Open(fresh *Record) (*Record, error) {
	if _, err := os.Stat(fresh.Path); err != nil {
		return fresh, nil
	}
	r, err := ReadRecord(fresh.Path)
	if err != nil {
		return nil, err
	}
	if r.Settings != fresh.Settings {
		return nil, fmt.Errorf("%s was begun with %+v, not with %+v: give the same flags, or another -name", fresh.Path, r.Settings, fresh.Settings)
	}
	return r, nil
}

// Line shows a trial while the campaign runs.
func (t *Trial) Line() string {
	s := fmt.Sprintf("round %d  %-16s %-16s", t.Round+1, t.Tool, t.Level)
	if t.Failed != "" {
		return s + "failed: " + t.Failed
	}
	s += fmt.Sprintf("%8.0f requests/s", t.Figures["requests_per_s"])
	if cpu, measured := t.Figures["cpu_us_per_request"]; measured {
		s += fmt.Sprintf("  %7.2f µs CPU/request", cpu)
	}
	if t.Disturbed != "" {
		s += "  (" + t.Disturbed + ")"
	}
	return s
}
