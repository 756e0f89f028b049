package claim

import (
	"slices"
	"strings"

	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Space is what a study measures: the names that a claim may use.
type Space struct {
	Metrics  []Metric
	Subjects []string
	Loads    []string
	Factors  []Factor
	Cells    []Cell
	// Sampled are the factors of a Sobol design; nil if the design is another.
	Sampled []string
}

// Metric is a figure of each trial. Its unit is written as "µs", "µs/req",
// "req/s", "bytes", "%" or the like.
type Metric struct{ Name, Unit string }

// Factor is a thing that is varied, with its levels.
type Factor struct {
	Name   string
	Levels []string
}

// Cell is what is measured together: a subject under a load at one level of each
// factor. Index is the cell's name for [Source.Values].
type Cell struct {
	Index         int
	Subject, Load string
	Levels        map[string]string
}

// SpaceOf collects the names that cells have, in their order.
func SpaceOf(metrics []Metric, cells []Cell) *Space {
	s := &Space{Metrics: metrics, Cells: cells}
	at := map[string]int{}
	for i := range cells {
		c := &cells[i]
		s.Subjects, s.Loads = with(s.Subjects, c.Subject), with(s.Loads, c.Load)
		for _, name := range sortedKeys(c.Levels) {
			k, ok := at[name]
			if !ok {
				k, at[name] = len(s.Factors), len(s.Factors)
				s.Factors = append(s.Factors, Factor{Name: name})
			}
			s.Factors[k].Levels = with(s.Factors[k].Levels, c.Levels[name])
		}
	}
	return s
}

// with appends a name that is not there yet.
func with[T comparable](list []T, name T) []T {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (s *Space) metric(name string) (Metric, bool) {
	i := slices.IndexFunc(s.Metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return s.Metrics[i], true
}

func (s *Space) factor(name string) (Factor, bool) {
	i := slices.IndexFunc(s.Factors, func(f Factor) bool { return f.Name == name })
	if i < 0 {
		return Factor{}, false
	}
	return s.Factors[i], true
}

func (s *Space) metricNames() (names []string) {
	for _, m := range s.Metrics {
		names = append(names, m.Name)
	}
	return names
}

func (s *Space) factorNames() (names []string) {
	for _, f := range s.Factors {
		names = append(names, f.Name)
	}
	return names
}

// choice is a selector whose names are known to exist: what the cells must have,
// by "subject", "load" or the factor's name.
type choice map[string]string

// Keys of a choice that are no factors.
const (
	subjectKey = "subject"
	loadKey    = "load"
)

// choose looks the names of a selector up.
func (s *Space) choose(picks []pick) (choice, *Error) {
	chosen := choice{}
	for _, p := range picks {
		key, value, err := s.lookUp(p)
		if err == nil {
			if _, twice := chosen[key]; twice {
				err = &Error{What: i18n.New("claim.chosen-twice", "%s is chosen twice", key)}
			}
		}
		if err != nil {
			err.at = p.at
			return nil, err
		}
		chosen[key] = value
	}
	return chosen, nil
}

func (s *Space) lookUp(p pick) (key, value string, err *Error) {
	switch p.key {
	case "", subjectKey:
		value, err = s.subject(p.value)
		return subjectKey, value, err
	case loadKey:
		if !slices.Contains(s.Loads, p.value) {
			return "", "", unknown("load", p.value, s.Loads)
		}
		return loadKey, p.value, nil
	}
	f, ok := s.factor(p.key)
	if !ok {
		return "", "", unknown("factor", p.key, s.factorNames())
	}
	for _, level := range f.Levels {
		if sameLevel(level, p.value) {
			return f.Name, level, nil
		}
	}
	return "", "", unknown(i18n.New("claim.level-of", "level of %s", f.Name), p.value, f.Levels)
}

// sameLevel reports whether two texts name the same level: 10k is 10000.
func sameLevel(a, b string) bool {
	if a == b {
		return true
	}
	x, xdim, ok := magnitude(a)
	y, ydim, also := magnitude(b)
	return ok && also && x == y && xdim == ydim
}

// subject finds a subject by its name, or by the last part of it.
func (s *Space) subject(name string) (string, *Error) {
	if slices.Contains(s.Subjects, name) {
		return name, nil
	}
	var fit []string
	for _, subject := range s.Subjects {
		if strings.HasSuffix(subject, "/"+name) {
			fit = append(fit, subject)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return "", &Error{What: i18n.New("claim.may", "%q may be %s", name, strings.Join(fit, " or ")), Hint: i18n.New("claim.write-whole-name", "write the whole name")}
	}
	err := unknown("subject", name, s.Subjects)
	if near, ok := spelling.Nearest(name, lastParts(s.Subjects)); ok {
		err.Hint = i18n.New("yaml.did-you-mean", "did you mean %q?", near)
	}
	if slices.Contains(s.Loads, name) {
		err.Hint = i18n.New("claim.load-by-name", "write load=%s", name)
	}
	for _, f := range s.Factors {
		if slices.Contains(f.Levels, name) {
			err.Hint = i18n.New("claim.level-by-name", "write %s=%s", f.Name, name)
		}
	}
	return "", err
}

// lastParts are the names without what stands before their last slash.
func lastParts(names []string) (parts []string) {
	for _, name := range names {
		parts = append(parts, name[strings.LastIndex(name, "/")+1:])
	}
	return parts
}

// unknown is the error for a name that is not there, with the nearest that is.
func unknown(kind any, name string, valid []string) *Error {
	err := &Error{What: i18n.New("claim.is-no", "there is no %s %q here", kind, name)}
	const few = 12
	near, ok := spelling.Nearest(name, valid)
	_, _, isNumber := magnitude(name) // which is seldom misspelled
	switch {
	case ok && !isNumber:
		err.Hint = i18n.New("yaml.did-you-mean", "did you mean %q?", near)
	case len(valid) == 0:
	case len(valid) > few:
		err.Hint = i18n.New("claim.known-and-more", "there are %s and %d more", i18n.Names(valid[:few]...), len(valid)-few)
	default:
		err.Hint = i18n.New("claim.there-are", "there are %s", i18n.Names(valid...))
	}
	return err
}

// find returns the indices, in Cells, of those that a choice leaves.
func (s *Space) find(c choice) (fit []int) {
	for i := range s.Cells {
		if s.Cells[i].fits(c) {
			fit = append(fit, i)
		}
	}
	return fit
}

func (c *Cell) fits(chosen choice) bool {
	for key, want := range chosen {
		if c.has(key) != want {
			return false
		}
	}
	return true
}

// has is what the cell has of a choice's key.
func (c *Cell) has(key string) string {
	switch key {
	case subjectKey:
		return c.Subject
	case loadKey:
		return c.Load
	}
	return c.Levels[key]
}

// one finds the one cell that a selector means. Where it leaves several, the
// error says what has to be chosen.
func (s *Space) one(picks []pick, at int) (*Cell, *Error) {
	chosen, err := s.choose(picks)
	if err != nil {
		return nil, err
	}
	fit := s.find(chosen)
	switch len(fit) {
	case 1:
		return &s.Cells[fit[0]], nil
	case 0:
		return nil, &Error{at: at, What: i18n.New("claim.no-such-cell", "no cell of the study has this combination")}
	}
	return nil, &Error{at: at, What: i18n.New("claim.cells-fit", "%d cells fit", len(fit)), Hint: i18n.New("claim.choose", "choose %s", i18n.And(s.open(fit)...))}
}

// open lists what differs among cells, as it has to be written.
func (s *Space) open(cells []int) (list []i18n.Message) {
	for _, key := range append([]string{subjectKey, loadKey}, s.factorNames()...) {
		var values []string
		for _, i := range cells {
			values = with(values, s.Cells[i].has(key))
		}
		if len(values) < 2 {
			continue
		}
		const few = 4
		if len(values) > few {
			values = append(values[:few], "…")
		}
		text := i18n.Names(values...)
		if key == subjectKey {
			list = append(list, i18n.New("claim.subject-of", "a subject (%s)", text))
		} else {
			list = append(list, i18n.Join(key, "= (", text, ")"))
		}
	}
	return list
}
