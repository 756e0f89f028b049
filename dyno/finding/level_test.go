package finding

import "testing"

// What is accepted is used as what is valid, and never called so.
func TestAcceptedIsNotCalledValid(t *testing.T) {
	for _, c := range []struct {
		validity Validity
		finding  Finding
		want     string
	}{
		{Valid, Finding{Validity: Invalid, Accepted: true}, Accepted},
		{Valid, Finding{Validity: Suspect, Accepted: true}, Accepted},
		{Valid, Finding{Validity: Valid, Accepted: true}, "valid"},
		{Valid, Finding{Validity: Valid}, "valid"},
		{"", Finding{}, "valid"},
		{Suspect, Finding{Validity: Invalid, Accepted: true}, "suspect"},
	} {
		if got := Level(c.validity, []Finding{c.finding}); got != c.want {
			t.Errorf("%s with %+v is told as %s, want %s", c.validity, c.finding, got, c.want)
		}
	}
}
