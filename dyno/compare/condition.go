package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Condition is something that was different apart from the figures.
type Condition struct {
	What i18n.Message `json:"what"`
	Old  i18n.Message `json:"old"` // empty: not there, or not known
	New  i18n.Message `json:"new"`
}

// Message says what was different.
func (c Condition) Message() i18n.Message {
	return i18n.New("compare.now", "%s: %s, now %s", c.What, orNone(c.Old), orNone(c.New))
}

// conditions lists what differs between two runs.
func conditions(old, new *archive.Manifest) []Condition {
	list := []Condition{}
	add := func(prefix string, more []Condition) {
		for _, c := range more {
			list = append(list, Condition{i18n.Join(prefix, c.What), c.Old, c.New})
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
		{i18n.Verbatim("study"), i18n.Verbatim(m.Study)}, {i18n.New("compare.study-text", "study text"), i18n.Verbatim(shortHash([]byte(m.StudySource)))}, {i18n.Verbatim("quick"), i18n.Verbatim(quick)},
		{i18n.Verbatim("warm-up"), warmUp(m)}, {i18n.New("compare.duration-trial", "duration of a trial"), i18n.Join(m.Duration)}, {i18n.Verbatim("blocks"), i18n.Verbatim(fmt.Sprint(blocks(m)))},
		{i18n.Verbatim("dyno"), i18n.Verbatim(m.Dyno)}, {i18n.Verbatim("placement"), placement(m.Placement)},
	}
}

// warmUp is how long the warm-up was, or what it was between.
func warmUp(m *archive.Manifest) i18n.Message {
	if m.WarmupMost > 0 {
		return i18n.New("compare.until-steady", "until steady, %v to %v", m.Warmup, m.WarmupMost)
	}
	return i18n.Join(m.Warmup)
}

func blocks(m *archive.Manifest) int {
	last := -1
	for i := range m.Plan.Trials {
		last = max(last, m.Plan.Trials[i].Block)
	}
	return last + 1
}

func placement(p archive.Placement) i18n.Message {
	if p.Upstream != nil {
		return i18n.New("compare.generator-upstream-subject", "%s, generator %v, upstream %v, subject %v", p.Mode, p.Generator, p.Upstream, p.Subject)
	}
	return i18n.New("compare.generator-subject", "%s, generator %v, subject %v", p.Mode, p.Generator, p.Subject)
}

// subjectFacts are those that decide which program ran, and how.
func subjectFacts(s *archive.Subject) []Property {
	list := []Property{
		{i18n.Verbatim("framework"), i18n.Verbatim(s.Framework)}, {i18n.Verbatim("version"), i18n.Verbatim(s.Version)}, {i18n.Verbatim("build"), i18n.Verbatim(s.BuildHash)}, {i18n.Verbatim("command"), i18n.Verbatim(s.Command)}, {i18n.Verbatim("url"), i18n.Verbatim(s.URL)},
	}
	if up := s.Upstream; up != nil {
		list = append(list, Property{i18n.Verbatim("upstream"), i18n.New("compare.build", "%s %s, build %.12s", up.Name, up.Version, up.BuildHash)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		list = append(list, Property{i18n.Join("env ", name), i18n.Verbatim(s.Env[name])})
	}
	if s.Network != nil {
		list = append(list, Property{i18n.Verbatim("network"), i18n.Verbatim(compact(s.Network))})
	}
	if s.Limits != nil {
		list = append(list, Property{i18n.Verbatim("limits"), i18n.Verbatim(compact(s.Limits))})
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
			c.What = i18n.New("compare.of-load", "load %s: %s", n.Load, c.What)
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
		list = append(list, Property{i18n.Verbatim(name), i18n.Verbatim(compact(fields[name]))})
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

func orNone(value i18n.Message) i18n.Message {
	if value.IsZero() {
		return i18n.New("compare.none", "none")
	}
	return value
}
