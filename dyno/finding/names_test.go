package finding

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every finding has its row in the docs, and every row its finding.
func TestFindingsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, m[1])
	}
	for _, name := range Names() {
		if !slices.Contains(rows, string(name)) {
			t.Errorf("dyno/docs/findings.md has no row for %s", name)
		}
	}
	for _, row := range rows {
		if !slices.Contains(Names(), Name(row)) {
			t.Errorf("dyno/docs/findings.md has a row for %s, which is no finding", row)
		}
	}
}

// Every finding that a report shows has a title and says why it matters.
func TestFindingsHaveTexts(t *testing.T) {
	content, err := os.ReadFile("../report/lang/en.json")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	if err := json.Unmarshal(content, &texts); err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if name == Unreachable { // of dyno load, which writes no report of this kind
			continue
		}
		for _, key := range []string{"finding." + string(name), "finding." + string(name) + ".why"} {
			if texts[key] == "" {
				t.Errorf("no text %q", key)
			}
		}
	}
}

func TestParseAccepted(t *testing.T) {
	for name, says := range map[string]string{
		"drifting": "", "steal": "", "stael": `did you mean "steal"?`, "leaks": `did you mean "leak"?`,
		"trial-failed": "can't be accepted", "everything-at-all": "there are generator-stalled", "": "no finding is named",
	} {
		names, err := ParseAccepted([]string{"little", name})
		if err == nil && !slices.Equal(names, []Name{Little, Name(name)}) {
			t.Errorf("%q: got %q", name, names)
		}
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
}
