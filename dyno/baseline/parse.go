package baseline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// maxSource bounds a baseline file, in bytes; thousands of cells fit.
const maxSource = 8 << 20

// Problem is one thing that is wrong with a baseline file.
type Problem struct {
	Path    string
	Line    int // from 1; 0 for the file as a whole
	Message string
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message)
}

// Parse reads a baseline. Errors are of type [*Problem], several joined. path is
// its name in messages; its base name must be that of the baseline.
func Parse(path string, src []byte) (*Baseline, error) {
	r := &reader{path: path}
	b := r.decode(src)
	if len(r.problems) == 0 {
		r.check(b)
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b *Problem) int { return cmp.Compare(a.Line, b.Line) })
		var all []error
		for _, p := range r.problems {
			all = append(all, p)
		}
		return nil, errors.Join(all...)
	}
	return b, nil
}

// reader is a file being read, and what is wrong with it so far.
type reader struct {
	path     string
	root     *yaml.Node
	problems []*Problem
}

func (r *reader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, &Problem{r.path, line, fmt.Sprintf(format, args...)})
}

// decode reads the file's form; its meaning is check's.
func (r *reader) decode(src []byte) *Baseline {
	b := new(Baseline)
	if len(src) > maxSource {
		r.problem(0, "expected a baseline of at most %d bytes, got %d", maxSource, len(src))
		return b
	}
	root, err := document(src)
	if err != nil {
		r.yamlProblem(err)
		return b
	}
	if r.root = root; root == nil || root.Kind != yaml.MappingNode {
		r.problem(0, "expected the fields of a baseline; dyno baseline set writes one")
		return b
	}
	if bad := alias(root); bad != nil {
		r.problem(bad.Line, "expected no anchors and aliases")
		return b
	}
	if version := r.find("baseline"); version != nil && version.Value != strconv.Itoa(Format) {
		r.problem(version.Line, "expected a baseline of format %d, got %q: make a new one, or use the dyno that wrote it", Format, version.Value)
		return b
	}
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	decoder.KnownFields(true)
	if err := decoder.Decode(b); err != nil {
		r.yamlProblem(err)
	}
	return b
}

// document returns the one document in src as a tree, nil if there is none.
func document(src []byte) (root *yaml.Node, err error) {
	// The YAML library reports some broken files by panicking with a string.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, i18n.Errorf("baseline.second-document", "yaml: line %d: expected one baseline, got a second document", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return doc.Content[0], nil
}

// alias returns the first node that stands for another, which baselines never
// have and which can make a short file a huge one.
func alias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return n
	}
	for _, child := range n.Content {
		if bad := alias(child); bad != nil {
			return bad
		}
	}
	return nil
}

var (
	yamlLine = regexp.MustCompile(`(?s)^(?:yaml: )?(?:line (\d+): )?(.*)$`)
	goType   = regexp.MustCompile(` (?:in|into) type \S+| into \S+$`)
)

// yamlProblem reports what the YAML library says, each of its lines as one.
func (r *reader) yamlProblem(err error) {
	messages := []string{err.Error()}
	var types *yaml.TypeError
	if errors.As(err, &types) {
		messages = types.Errors
	}
	for _, message := range messages {
		parts := yamlLine.FindStringSubmatch(message)
		line, _ := strconv.Atoi(parts[1]) // empty: unknown
		r.problem(line, "%s", goType.ReplaceAllString(parts[2], ""))
	}
}

// find returns the value at a path of fields and indices, nil if there is none.
func (r *reader) find(path ...any) *yaml.Node {
	n := r.root
	for _, step := range path {
		if n = child(n, step); n == nil {
			return nil
		}
	}
	return n
}

func child(n *yaml.Node, step any) *yaml.Node {
	switch step := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && step < len(n.Content) {
			return n.Content[step]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

// at reports what is wrong with the value at a path; if it is missing, with what
// should hold it.
func (r *reader) at(path []any, format string, args ...any) {
	line := 0
	for n := len(path); n >= 0 && line == 0; n-- {
		if node := r.find(path[:n]...); node != nil {
			line = node.Line
		}
	}
	var name strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&name, "[%d]", step)
		case string:
			if name.Len() > 0 {
				name.WriteString(".")
			}
			name.WriteString(step)
		}
	}
	r.problem(line, "%s: %s", &name, fmt.Sprintf(format, args...))
}

var runRule = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

var hashRule = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// check holds the values against each other.
func (r *reader) check(b *Baseline) {
	if b.Format != Format {
		r.problem(0, "expected the field baseline: %d", Format)
	}
	if !validName(b.Name) {
		r.at([]any{"name"}, "%v", nameError(b.Name))
	} else if want := nameOf(r.path); want != b.Name {
		r.at([]any{"name"}, "the file is that of %q, but its baseline is called %q", want, b.Name)
	}
	for _, h := range []struct {
		path  []any
		value string
	}{{[]any{"run_hash"}, b.RunHash}, {[]any{"study", "hash"}, b.Study.Hash}} {
		if !hashRule.MatchString(h.value) {
			r.at(h.path, "expected sha256: and 64 hexadecimal digits, got %.80q", h.value)
		}
	}
	if !runRule.MatchString(b.Run) {
		r.at([]any{"run"}, "expected the ID of a run, got %.80q", b.Run)
	}
	r.checkEarlier(b)
	if len(b.Machine) == 0 {
		r.at([]any{"machine"}, "expected what machine it was measured on")
	}
	if len(b.Cells) == 0 {
		r.at([]any{"cells"}, "expected at least one cell")
	}
	seen := make(map[[2]string]bool)
	for i, c := range b.Cells {
		if key := [2]string{c.Group, c.Subject}; seen[key] {
			r.at([]any{"cells", i}, "%s under %s is there twice", c.Subject, c.Group)
		} else {
			seen[key] = true
		}
		r.checkCell(i, &c, len(b.Earlier)+1)
	}
}

// checkEarlier holds the runs of a baseline against each other.
func (r *reader) checkEarlier(b *Baseline) {
	if len(b.Earlier) >= maxRuns {
		r.at([]any{"earlier"}, "expected at most %d runs", maxRuns)
		return
	}
	for i, e := range b.Earlier {
		switch next := b.runs()[i+1]; {
		case !runRule.MatchString(e.Run):
			r.at([]any{"earlier", i, "run"}, "expected the ID of a run, got %.80q", e.Run)
		case !hashRule.MatchString(e.RunHash):
			r.at([]any{"earlier", i, "run_hash"}, "expected sha256: and 64 hexadecimal digits, got %.80q", e.RunHash)
		case e.Started.After(next.Started):
			r.at([]any{"earlier", i, "started"}, "expected the runs in the order of their times")
		}
	}
}

// checkCell checks a cell of a baseline of so many runs.
func (r *reader) checkCell(i int, c *Cell, runs int) {
	if c.Group == "" || c.Subject == "" || c.Load == "" {
		r.at([]any{"cells", i}, "expected group, subject and load")
	}
	if len(c.Metrics) == 0 {
		r.at([]any{"cells", i, "metrics"}, "expected at least one metric")
	}
	for name, m := range c.Metrics {
		path := []any{"cells", i, "metrics", name}
		switch {
		case !knownMetric(name):
			r.at(path, "no metric of this name")
		case m.Better != string(stats.Higher) && m.Better != string(stats.Lower):
			r.at(append(path, "better"), "expected higher or lower, got %.40q", m.Better)
		case slices.ContainsFunc(m.Values, func(v float64) bool { return !(v >= 0) || math.IsInf(v, 1) }):
			r.at(append(path, "values"), "expected finite numbers that are not below zero")
		case len(m.Values) == 0 || m.N != len(m.Values):
			r.at(append(path, "values"), "expected as many values as there are restarts: %d, got %d", m.N, len(m.Values))
		case (m.Each != nil || runs > 1) && !adds(m.Each, runs, m.N):
			r.at(append(path, "each"), "expected how many of the %d values are of each of the %d runs", m.N, runs)
		case m.Median != round(stats.Median(m.Values, level).Estimate):
			r.at(append(path, "median"), "%v is not the median of the values: the file was edited, or a merge has mixed two; make a new one", m.Median)
		}
	}
}

// adds reports whether there are so many numbers, none below zero, with that sum.
func adds(each []int, count, sum int) bool {
	for _, n := range each {
		if n < 0 || n > sum {
			return false
		}
		sum -= n
	}
	return len(each) == count && sum == 0
}
