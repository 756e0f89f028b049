package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// Condition is something that was different besides the figures.
type Condition struct {
	What string `json:"what"`
	Old  string `json:"old"` // empty: not there, or not known
	New  string `json:"new"`
}

func (c Condition) String() string {
	return fmt.Sprintf("%s: %s, now %s", c.What, orNone(c.Old), orNone(c.New))
}

// conditions lists what differs between two runs.
func conditions(old, new *archive.Manifest) []Condition {
	list := []Condition{}
	add := func(prefix string, more []Condition) {
		for _, c := range more {
			list = append(list, Condition{prefix + c.What, c.Old, c.New})
		}
	}
	add("machine: ", differing(Hardware(&old.Machine), Hardware(&new.Machine)))
	add("machine: ", differing(settings(&old.Machine), settings(&new.Machine)))
	add("", differing(runFacts(old), runFacts(new)))
	for i := range new.Subjects {
		n := &new.Subjects[i]
		at := slices.IndexFunc(old.Subjects, func(o archive.Subject) bool { return o.Name == n.Name })
		if at >= 0 {
			add("subject "+n.Name+": ", differing(subjectFacts(&old.Subjects[at]), subjectFacts(n)))
		}
	}
	return append(list, loadConditions(old, new)...)
}

// runFacts are those of a run as a whole.
func runFacts(m *archive.Manifest) []Property {
	quick := "no"
	if m.Quick {
		quick = "yes"
	}
	return []Property{
		{"study", m.Study}, {"study text", shortHash([]byte(m.StudySource))}, {"quick", quick},
		{"warm-up", warmUp(m)}, {"duration of a trial", m.Duration.String()}, {"blocks", fmt.Sprint(blocks(m))},
		{"dyno", m.Dyno}, {"placement", placement(m.Placement)},
	}
}

// warmUp is how long the warm-up was, or what it was between.
func warmUp(m *archive.Manifest) string {
	if m.WarmupMost > 0 {
		return fmt.Sprintf("until steady, %v to %v", m.Warmup, m.WarmupMost)
	}
	return m.Warmup.String()
}

func blocks(m *archive.Manifest) int {
	last := -1
	for i := range m.Plan.Trials {
		last = max(last, m.Plan.Trials[i].Block)
	}
	return last + 1
}

func placement(p archive.Placement) string {
	if p.Upstream != nil {
		return fmt.Sprintf("%s, generator %v, upstream %v, subject %v", p.Mode, p.Generator, p.Upstream, p.Subject)
	}
	return fmt.Sprintf("%s, generator %v, subject %v", p.Mode, p.Generator, p.Subject)
}

// subjectFacts are those that decide which program ran, and how.
func subjectFacts(s *archive.Subject) []Property {
	list := []Property{
		{"framework", s.Framework}, {"version", s.Version}, {"build", s.BuildHash}, {"command", s.Command}, {"url", s.URL},
	}
	if up := s.Upstream; up != nil {
		list = append(list, Property{"upstream", fmt.Sprintf("%s %s, build %.12s", up.Name, up.Version, up.BuildHash)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		list = append(list, Property{"env " + name, s.Env[name]})
	}
	if s.Limits != nil {
		list = append(list, Property{"limits", compact(s.Limits)})
	}
	return list
}

// loadConditions names the parts of a load that differ, for each load once: all
// subjects get the same.
func loadConditions(old, new *archive.Manifest) []Condition {
	var list []Condition
	for i := range new.Plan.Cells {
		n := &new.Plan.Cells[i]
		at := slices.IndexFunc(old.Plan.Cells, func(o study.Cell) bool {
			return o.Load == n.Load && maps.Equal(o.Levels, n.Levels)
		})
		if at < 0 {
			continue
		}
		for _, c := range differing(loadFacts(&old.Plan.Cells[at]), loadFacts(n)) {
			c.What = "load " + n.Load + ": " + c.What
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

func loadFacts(c *study.Cell) []Property {
	fields := asked(c)
	var list []Property
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, Property{name, compact(fields[name])})
	}
	return list
}

// compact writes a value as JSON on one line; one that is long as its hash, with
// its beginning.
func compact(v any) string {
	const longest = 100
	document, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	text := string(document)
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "… (" + shortHash(document) + ")"
	}
	return text
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}
