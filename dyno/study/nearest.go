package study

import (
	"fmt"
	"strings"
)

// didYouMean returns a hint that names the valid name nearest to the one that
// was written, or, when none is near, lists the valid names, or some of them.
func didYouMean(written string, valid []string) string { return form.DidYouMean(written, valid) }

// choices lists the valid names, or some of them.
func choices(valid []string) string {
	const few = 12
	switch {
	case len(valid) == 0:
		return ""
	case len(valid) > few:
		return fmt.Sprintf("valid: %s and %d more", strings.Join(valid[:few], ", "), len(valid)-few)
	}
	return "valid: " + strings.Join(valid, ", ")
}
