package claim

import (
	"slices"

	"dyno.example/internal/i18n"
)

// Moderator is a factor that a claim says nothing about, and that decides how large the
// effect comes out, such as how often the work is repeated in each request. What is
// claimed must hold over its range.
type Moderator struct {
	Factor string   `json:"factor"`           // or "load" or "subject"
	Levels []string `json:"levels,omitempty"` // those that count; all that are measured if empty
}

// CheckOver holds the moderators of a claim against what a study measures, and each
// expression at each of their places. Errors about a moderator have column 0.
func CheckOver(moderators []Moderator, s *Space) *Error {
	_, err := places(moderators, s)
	return err
}

// CheckAt is Check for a claim with moderators: at all their places.
func CheckAt(e *Expression, moderators []Moderator, s *Space) []*Error {
	all, err := places(moderators, s)
	if err != nil {
		return nil // reported by CheckOver
	}
	for _, at := range all {
		if errors := check(e, s, at); len(errors) > 0 {
			return errors
		}
	}
	return nil
}

// places are the combinations of the moderators' levels, one empty one without moderators.
func places(moderators []Moderator, s *Space) (all [][]pick, err *Error) {
	all = [][]pick{nil}
	for i := range moderators {
		levels, err := moderators[i].levels(s)
		if err != nil {
			return nil, err
		}
		var more [][]pick
		for _, at := range all {
			for _, level := range levels {
				more = append(more, append(slices.Clone(at), level))
			}
		}
		all = more
	}
	return all, nil
}

// levels are those of the moderator over which the claim must hold.
func (d *Moderator) levels(s *Space) (levels []pick, err *Error) {
	names := d.Levels
	switch f, ok := s.factor(d.Factor); {
	case len(names) > 0:
	case ok:
		names = f.Levels
	case d.Factor == loadKey:
		names = s.Loads
	case d.Factor == subjectKey:
		names = s.Subjects
	}
	if len(names) == 0 {
		return nil, unknown("factor", d.Factor, s.factorNames())
	}
	for _, name := range names {
		p := pick{key: d.Factor, value: name}
		if _, _, err := s.lookUp(p); err != nil {
			return nil, err
		}
		if slices.Contains(levels, p) {
			return nil, &Error{What: i18n.New("claim.is-twice", "%q of %s is there twice", name, d.Factor)}
		}
		levels = append(levels, p)
	}
	if len(levels) < 2 {
		return nil, &Error{What: i18n.New("claim.single-level", "%s has one level only, which is no range", d.Factor), Hint: i18n.New("claim.measure-several", "measure it at several")}
	}
	return levels, nil
}

// where writes a place: "env.REPEAT=10".
func where(at []pick) (text string) {
	for i, p := range at {
		if i > 0 {
			text += ", "
		}
		text += quoted(p.key) + "=" + quoted(p.value)
	}
	return text
}
