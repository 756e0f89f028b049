package archive

import (
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

// Latest is the reference that means the newest run.
const Latest = "latest"

// Name is what a run can be called by.
type Name struct {
	ID      string
	Address Address // empty if the run has not ended
}

// String is the name in one word: the ID, a dot and the address's digits. It is
// the run's folder in a bucket.
func (n Name) String() string {
	if n.Address == "" {
		return n.ID
	}
	return n.ID + "." + string(n.Address)
}

// ParseName reads what [Name.String] writes of a run that has ended.
func ParseName(text string) (Name, error) {
	id, digits, _ := strings.Cut(text, ".")
	address, err := ParseAddress(digits)
	if err != nil || !isID(id) {
		return Name{}, i18n.Errorf("archive.bad-run-address", "%q is not the name of a run: an ID, a dot and an address", text)
	}
	return Name{ID: id, Address: address}, nil
}

// isName reports whether ref has the form of a full name.
func isName(ref string) bool {
	_, err := ParseName(ref)
	return err == nil
}

// isID reports whether text has the form of an ID: what [slug] leaves.
func isID(text string) bool {
	return text != "" && !strings.HasPrefix(text, "-") && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Match returns those of the names, which are in order from the oldest, that ref means:
// the newest for [Latest]; else those that it is the ID or the full name of; else those
// whose ID it begins; else those whose address it begins, with or without "sha256:" and
// with at least six digits.
func Match(names []Name, ref string) []Name {
	if ref == Latest {
		return names[max(0, len(names)-1):]
	}
	for _, fits := range []func(Name) bool{
		func(n Name) bool { return n.ID == ref || n.String() == ref },
		func(n Name) bool { return ref != "" && strings.HasPrefix(n.ID, ref) },
		func(n Name) bool { return n.Address.begins(ref) },
	} {
		found := slices.DeleteFunc(slices.Clone(names), func(n Name) bool { return !fits(n) })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// Pick returns the one name of found, which [Match] found for ref in names. If
// there is none or more than one, the error says what there is in where.
func Pick(found, names []Name, ref, where string) (Name, error) {
	switch {
	case len(found) == 1:
		return found[0], nil
	case ref == "":
		return Name{}, errNoRef
	case len(found) > 1:
		return Name{}, i18n.Errorf("archive.begins-names-runs", "%q begins the names of %d runs: %s", ref, len(found), some(distinct(found)))
	case len(names) == 0:
		return Name{}, i18n.Errorf("archive.no-runs-at-all", "no run %q: there are no runs in %s", ref, where)
	}
	return Name{}, i18n.Errorf("archive.run-not-found", "no run %q in %s; the nearest are %s", ref, where, some(nearest(ids(names), ref)))
}

var errNoRef = i18n.Errorf("archive.run-not-given", "no run named; give an ID, its beginning, an address, a folder or %q", Latest)

func ids(names []Name) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = n.ID
	}
	return list
}

// distinct names runs by what distinguishes them: their IDs, or, where two have the
// same, their addresses too.
func distinct(names []Name) []string {
	list := ids(names)
	if len(slices.Compact(slices.Sorted(slices.Values(list)))) == len(list) {
		return list
	}
	for i, n := range names {
		list[i] = n.String()
	}
	return list
}
