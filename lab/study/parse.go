package study

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What a study may ask for, and what it gets when it does not say.
const (
	maxConnections = 1_000_000
	maxRate        = 10_000_000 // requests per second
	maxBlocks      = 10_000
	maxWarmup      = time.Hour
	minDuration    = time.Second
	maxDuration    = 12 * time.Hour
	minTimeout     = time.Millisecond
	maxTimeout     = 10 * time.Minute // the histograms end there

	defaultConnections = 64
	defaultBlocks      = 6
	defaultTimeout     = 10 * time.Second
	defaultWarmup      = 2 * time.Second
	defaultDuration    = 10 * time.Second
)

// Parse reads the study in src. path is the file's name: it stands in front of
// problems, and paths in the study are relative to its folder. A path that
// starts with "builtin:" has no folder. subjects are the names of the shipped
// subjects, which the study may use.
//
// Parse reads the files that the study names as request bodies and looks for
// the folders it names; it changes nothing. The error is of type [Problems] and
// holds everything that is wrong. The study does not refer to src afterwards.
func Parse(path string, src []byte, subjects []string) (*Study, error) {
	in := &input{path: path, shipped: subjects}
	if root, ok := in.document(src); ok {
		s := &Study{Path: path, Source: bytes.Clone(src)}
		s.read(root)
		if len(in.problems) == 0 {
			return s, nil
		}
	}
	in.problems.sort()
	return nil, in.problems
}

// read fills the study from the root of a file.
func (s *Study) read(root scope) {
	if !root.isMapping() {
		root.expected("a study", `write "field: value", starting with subjects`)
		return
	}
	f := root.fields("study", "question", "reference", "subjects", "requests", "factors",
		"loads", "trial", "blocks", "placement", "report", "quick")
	s.readName(f)
	if v, ok := f.get("question"); ok {
		s.Question = v.text(1000)
	}
	s.readSubjects(f)
	s.readRequests(f)
	s.readFactors(f)
	s.readLoads(f)
	s.Trial = Timing{Warmup: defaultWarmup, Duration: defaultDuration}
	if v, ok := f.get("trial"); ok {
		s.Trial.read(v)
	}
	s.Blocks = defaultBlocks
	if v, ok := f.get("blocks"); ok {
		s.Blocks = v.integer(1, maxBlocks)
	}
	s.Placement.read(f)
	s.readReport(f)
	s.readQuick(f) // last: it refers to the rest
}

// readName reads the study's name; by default it is the file's.
func (s *Study) readName(f fields) {
	v, ok := f.get("study")
	if !ok {
		s.Name = nameFromPath(s.Path)
		return
	}
	s.Name = v.name()
	if strings.Contains(s.Name, "/") {
		v.expected("a name without slashes", "")
	}
}

// nameFromPath makes a valid name from the last part of a path.
func nameFromPath(path string) string {
	base := filepath.Base(strings.TrimPrefix(path, builtinPrefix))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	name := strings.Map(func(r rune) rune {
		if isAlphanumeric(r) || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, base)
	name = strings.Trim(name, "-._")
	if name = name[:min(len(name), 64)]; name == "" {
		return "study"
	}
	return name
}

// read reads the timing of trials. What is not written stays.
func (t *Timing) read(at scope) {
	f := at.fields("warmup", "duration")
	if v, ok := f.get("warmup"); ok {
		t.Warmup = v.duration(0, maxWarmup)
	}
	if v, ok := f.get("duration"); ok {
		t.Duration = v.duration(minDuration, maxDuration)
	}
}

// readReport reads which metrics the ranking shows first.
func (s *Study) readReport(f fields) {
	v, ok := f.get("report")
	if !ok {
		s.Report = []string{"throughput", "cpu", "response.p99"}
		return
	}
	for _, item := range v.items("metrics") {
		metric, ok := item.oneOf("a metric", Metrics())
		if ok && slices.Contains(s.Report, metric) {
			item.fail("", "expected each metric once, got %q again", metric)
		}
		s.Report = append(s.Report, metric)
	}
}
