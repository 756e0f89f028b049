// Package setting knows the settings of a Linux machine that matter for
// measuring: how each is read, whether its value is good and why, what a better
// one would be and where to write it. It only reads; package tune writes.
package setting

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

// Level is how good a value is for measuring.
type Level string

// The levels of values.
const (
	Good    Level = "good"
	Mind    Level = "mind"    // usable, if it is kept in mind
	Bad     Level = "bad"     // makes figures wrong or not repeatable
	Unknown Level = "unknown" // can't be seen here
)

// Message is the level as a word of a table.
func (l Level) Message() i18n.Message {
	switch l {
	case Good:
		return i18n.New("setting.good", string(Good))
	case Mind:
		return i18n.New("setting.mind", string(Mind))
	case Bad:
		return i18n.New("setting.bad", string(Bad))
	}
	return i18n.New("setting.unknown", string(Unknown))
}

// Profile is a purpose to tune for.
type Profile string

// The profiles.
const (
	Quiet   Profile = "quiet"   // steady CPUs and memory
	Network Profile = "network" // many connections
	All     Profile = "all"     // both, and SMT off
)

// profiles are all there are.
var profiles = []Profile{Quiet, Network, All}

// ParseProfile reads a profile's name.
func ParseProfile(name string) (Profile, error) {
	if p := Profile(name); slices.Contains(profiles, p) {
		return p, nil
	}
	return "", fmt.Errorf("there is no profile %q; there are quiet, network and all", name)
}

// Setting is one thing about a machine that matters for measuring.
type Setting struct {
	Name    string       // "governor", for commands and JSON
	Title   i18n.Message // for people
	Why     string       // it matters, in one sentence
	Source  string       // the document that explains it
	Profile Profile      // which tunes it; empty if it can't be set while the machine runs
	look    func(m *Machine) Value
	better  func(m *Machine) []Change // what would make it good; nil if Profile is empty
}

// Value is what a setting is now.
type Value struct {
	Text  i18n.Message // as people write it
	Level Level
	Note  i18n.Message // why it is not good, and what can be done; why it can't be seen
}

// Change is a file to write.
type Change struct {
	Setting string `json:"setting"`
	Path    string `json:"path"` // below the root folder, without a leading slash
	Old     string `json:"old"`  // as [Current] reads it
	New     string `json:"new"`
}

// Row is a setting with its value, as it is shown.
type Row struct {
	Name    string       `json:"name"`
	Title   i18n.Message `json:"title"`
	Value   i18n.Message `json:"value,omitzero"`
	Level   Level        `json:"level"`
	Note    i18n.Message `json:"note,omitzero"`
	Why     string       `json:"why"`
	Source  string       `json:"source"`
	Profile Profile      `json:"profile,omitempty"`
	Changes []Change     `json:"changes,omitempty"` // that tuning would make
}

// Survey reads all settings of a machine. root is its root folder.
func Survey(root fs.FS, f machine.Fingerprint) []Row {
	m := &Machine{Fingerprint: f, root: root}
	rows := make([]Row, 0, len(settings))
	for i := range settings {
		s := &settings[i]
		v := s.look(m)
		rows = append(rows, Row{
			Name: s.Name, Title: s.Title, Value: v.Text, Level: v.Level, Note: v.Note,
			Why: s.Why, Source: s.Source, Profile: s.Profile, Changes: s.changes(m, v),
		})
	}
	return rows
}

// Plan lists what has to be written to tune for a profile, in order.
func Plan(root fs.FS, f machine.Fingerprint, p Profile) []Change {
	m := &Machine{Fingerprint: f, root: root}
	var all []Change
	for i := range settings {
		if p == All || settings[i].Profile == p {
			all = append(all, settings[i].changes(m, settings[i].look(m))...)
		}
	}
	return all
}

// changes are the writes that make a value good which is not, less those that
// would change nothing.
func (s *Setting) changes(m *Machine, v Value) []Change {
	if s.better == nil || v.Level == Good || v.Level == Unknown {
		return nil
	}
	var all []Change
	for _, c := range s.better(m) {
		old, err := Current(m.root, c.Path)
		if err == nil && old != Normal(c.New) {
			c.Setting, c.Old = s.Name, old
			all = append(all, c)
		}
	}
	return all
}

// Current reads a setting's file, in the form in which it can be written back.
func Current(root fs.FS, path string) (string, error) {
	data, err := fs.ReadFile(root, path)
	if err != nil {
		return "", err
	}
	return Normal(string(data)), nil
}

// Normal brings what a file says into the form in which it is written: of a list
// of choices the one in brackets, of several values one space between them.
func Normal(text string) string {
	if _, rest, ok := strings.Cut(text, "["); ok {
		if choice, _, ok := strings.Cut(rest, "]"); ok {
			return choice
		}
	}
	return strings.Join(strings.Fields(text), " ")
}
