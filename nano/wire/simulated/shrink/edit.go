package shrink

import "slices"

// Edit makes something of a scenario plainer; what it returns takes that back.
type Edit func() (undo func())

// Change adds an edit that gives a variable another value, unless it has that.
func Change[T comparable](list []Edit, at *T, to T) []Edit {
	if *at == to {
		return list
	}
	return append(list, func() func() {
		before := *at
		*at = to
		return func() { *at = before }
	})
}

// Lower adds an edit that makes a number smaller, if it isn't by then.
func Lower(list []Edit, at *int, to int) []Edit {
	if *at <= to {
		return list
	}
	return append(list, func() func() {
		before := *at
		*at = min(before, to)
		return func() { *at = before }
	})
}

// Together adds edits as one, of which none does alone.
func Together(list, of []Edit) []Edit {
	if len(of) == 0 {
		return list
	}
	return append(list, func() func() {
		var undo []func()
		for _, one := range of {
			undo = append(undo, one())
		}
		return func() {
			for _, one := range slices.Backward(undo) {
				one()
			}
		}
	})
}
