package request

import (
	"strings"
	"testing"

	"dyno.example/nanogate/docs"
)

// Each reason has a text of its own, which the documentation has too.
func TestRefusals(t *testing.T) {
	page := docs.All()
	_, section, _ := strings.Cut(page, "## Why a request was refused")
	section, _, _ = strings.Cut(section, "\n## ")
	seen := map[string]bool{}
	for why := NotRefused + 1; why < Refusals; why++ {
		text := why.String()
		if text == "" || seen[text] {
			t.Errorf("%d is %q", why, text)
		}
		seen[text] = true
		what := text
		if _, rest, ok := strings.Cut(text, ": "); ok && !strings.Contains(section, "`"+text+"`") {
			what = rest
		}
		if !strings.Contains(section, "`"+what+"`") {
			t.Errorf("%q isn't in the documentation", text)
		}
	}
}
