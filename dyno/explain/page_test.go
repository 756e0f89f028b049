package explain

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the sections of causes of the docs")

// The docs have all causes, with what is said of them in reports, and no others.
func TestPage(t *testing.T) {
	const page, mark = "../docs/causes.md", "-update -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(text), mark)
	if !found {
		t.Fatalf("%s has no %q", page, mark)
	}
	var want strings.Builder
	want.WriteString(head + mark)
	for _, m := range meanings {
		fmt.Fprintf(&want, "\n### %s\n\n%s\n\n- **How it is seen.** %s\n- **What people do.** %s\n", m.Name, m.Means, m.Seen, m.Do)
	}
	if *update {
		if err := os.WriteFile(page, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want.String() {
		t.Errorf("%s is not as the code has it: run go test ./dyno/explain -run TestPage -update", page)
	}
}

// Each cause is there once, with all there is to say.
func TestMeanings(t *testing.T) {
	seen := map[Name]bool{}
	for _, m := range meanings {
		if seen[m.Name] || m.Means.IsZero() || m.Seen.IsZero() || m.Do.IsZero() {
			t.Errorf("%s is there twice, or lacks a text", m.Name)
		}
		seen[m.Name] = true
	}
	for _, m := range measures {
		if !seen[m.name] {
			t.Errorf("%s is measured and is no cause", m.name)
		}
	}
	if len(seen) != 27 {
		t.Errorf("%d causes", len(seen))
	}
}
