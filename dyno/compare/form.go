package compare

import (
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/internal/i18n"
)

// Form is how a cell was measured: in slices of a load, or, if it is zero, in trials. A subject that rests while others have
// the load, and begins anew with each slice, isn't what it is under a load that goes on.
type Form struct {
	Length time.Duration // of a slice
	Settle time.Duration // loaded before it
}

// formOf is that of a group's cell. One that could take no turn was measured in trials.
func formOf(g *analysis.Group, c *analysis.Cell) Form {
	if g.Slices == nil || len(c.Sliced) == 0 {
		return Form{}
	}
	return Form{g.Slices.Length, g.Slices.Settle}
}

// Message says how.
func (f Form) Message() i18n.Message {
	if f == (Form{}) {
		return i18n.New("compare.in-trials", "in trials")
	}
	return i18n.New("compare.in-slices", "in slices of %v after %v each", f.Length, f.Settle)
}
