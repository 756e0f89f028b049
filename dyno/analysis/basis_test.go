package analysis

import "testing"

func TestCommitOf(t *testing.T) {
	for version, want := range map[string]struct {
		commit string
		clean  bool
	}{
		"devel": {}, "": {},
		"v0.0.0-20261121085726-880e9dd100ce":       {"880e9dd100ce", true},
		"v0.0.0-20261121085726-880e9dd100ce+dirty": {"880e9dd100ce", false},
		"devel-880e9dd100ce":                       {"880e9dd100ce", true},
		"devel-880e9dd100ce-dirty":                 {"880e9dd100ce", false},
		"v1.2.3":                                   {"v1.2.3", true},
	} {
		if commit, clean := commitOf(version); commit != want.commit || clean != want.clean {
			t.Errorf("%s: %q %t", version, commit, clean)
		}
	}
}
