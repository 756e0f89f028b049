package study

import (
	"fmt"
	"strings"

	"dyno.example/internal/spelling"
)

// didYouMean returns a hint that names the valid name nearest to the one that
// was written, or, when none is near, lists the valid names, or some of them.
func didYouMean(written string, valid []string) string {
	if name, ok := spelling.Nearest(written, valid); ok {
		return fmt.Sprintf("did you mean %q?", name)
	}
	const few = 12
	switch {
	case len(valid) == 0:
		return ""
	case len(valid) > few:
		return fmt.Sprintf("valid: %s and %d more", strings.Join(valid[:few], ", "), len(valid)-few)
	}
	return "valid: " + strings.Join(valid, ", ")
}
