package finding

import (
	"slices"

	"dyno.example/internal/i18n"
)

// Validity says what a measurement is worth.
type Validity string

const (
	Valid   Validity = "valid"   // nothing speaks against it
	Suspect Validity = "suspect" // use with the findings in mind
	Invalid Validity = "invalid" // must not be used for a conclusion
)

// Message is the validity as a word of a sentence.
func (v Validity) Message() i18n.Message {
	switch v {
	case Valid:
		return i18n.New("validity.valid", string(Valid))
	case Suspect:
		return i18n.New("validity.suspect", string(Suspect))
	case Invalid:
		return i18n.New("validity.invalid", string(Invalid))
	}
	if v == "accepted" { // what would be worse, and was accepted
		return i18n.New("validity.accepted", "accepted")
	}
	return i18n.Verbatim(string(v))
}

// Worse returns the worse of two validities.
func (v Validity) Worse(o Validity) Validity {
	if v == Invalid || o == Invalid {
		return Invalid
	}
	if v == Suspect || o == Suspect {
		return Suspect
	}
	return Valid
}

// Finding is one named reason why a window, trial or run is suspect or invalid.
type Finding struct {
	Name     Name         // see dyno/docs/findings.md
	Validity Validity     // Suspect or Invalid; Valid for a remark
	Detail   i18n.Message // evidence and threshold, in one sentence
	Windows  []int
	// Accepted says that the study accepts this finding by its name: it is shown
	// with its level, and doesn't lower what the measurement is worth.
	Accepted bool
}

// Weight is how far the finding lowers what the measurement is worth: its level,
// or nothing if it is accepted.
func (f *Finding) Weight() Validity {
	if f.Accepted {
		return Valid
	}
	return f.Validity
}

// Accept marks the findings whose names are in the list as accepted.
func Accept(findings []Finding, names []Name) []Finding {
	for i := range findings {
		findings[i].Accepted = findings[i].Accepted || slices.Contains(names, findings[i].Name)
	}
	return findings
}

// Worst returns the worst level among findings that are not accepted; Valid if
// there are none.
func Worst(findings []Finding) Validity {
	v := Valid
	for i := range findings {
		v = v.Worse(findings[i].Weight())
	}
	return v
}

// Accepted is the level of what is valid only because somebody accepted a finding.
const Accepted = "accepted"

// Level is what a measurement is worth, in a word: its validity, or Accepted.
func Level(v Validity, findings []Finding) string {
	for i := range findings {
		if f := &findings[i]; (v == Valid || v == "") && f.Accepted && f.Validity != Valid && f.Validity != "" {
			return Accepted
		}
	}
	if v == "" {
		v = Valid
	}
	return string(v)
}

// Merge folds the findings of single windows, of which there are so many
// in all, into one per name. What concerns only a few windows is a remark on the
// whole: suspect ones carry little weight in it, and invalid ones are left out of
// it.
func Merge(found []Finding, windows int) []Finding {
	index := make(map[Name]int)
	var out []Finding
	for _, f := range found {
		i, ok := index[f.Name]
		if !ok {
			index[f.Name] = len(out)
			out = append(out, f)
			continue
		}
		if out[i].Validity != f.Validity && f.Validity == Invalid {
			out[i].Validity, out[i].Detail = Invalid, f.Detail
		}
		out[i].Windows = append(out[i].Windows, f.Windows...)
	}
	for i := range out {
		f, n := &out[i], len(out[i].Windows)
		f.Detail = i18n.Join(f.Detail, i18n.New("finding.windows", " (in %d of %d windows)", n, windows))
		switch {
		case n*10 <= windows:
			f.Validity = Valid
		case n*2 <= windows && f.Validity == Invalid:
			f.Validity = Suspect
		}
	}
	return out
}
