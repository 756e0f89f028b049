package study

import (
	"dyno.example/internal/i18n"
)

// didYouMean returns a hint that names the valid name nearest to the one that
// was written, or, when none is near, lists the valid names, or some of them.
func didYouMean(written string, valid []string) i18n.Message { return form.DidYouMean(written, valid) }

// choices lists the valid names, or some of them.
func choices(valid []string) i18n.Message {
	const few = 12
	switch {
	case len(valid) == 0:
		return i18n.Message{}
	case len(valid) > few:
		return i18n.New("study.valid-values", "valid: %s and %d more", i18n.Names(valid[:few]...), len(valid)-few)
	}
	return i18n.New("study.valid-names", "valid: %s", i18n.Names(valid...))
}
