package subject

import (
	"fmt"

	"dyno/internal/spelling"
)

// didYouMean returns `; did you mean "x"?` for the known name that was probably
// meant, or nothing when none is near enough.
func didYouMean(wrong string, known []string) string {
	name, ok := spelling.Nearest(wrong, known)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}
