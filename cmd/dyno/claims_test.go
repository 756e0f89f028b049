package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/lab/published"
	"dyno/studies"
)

// TestClaimsPageIsFresh: the page follows from the catalogue, the studies and what
// is published.
func TestClaimsPageIsFresh(t *testing.T) {
	list, err := questions("../../docs/results", true)
	if err != nil {
		t.Fatal(err)
	}
	if page := read(t, "../../docs/claims.md"); page != published.Page(studies.Claims(), list) {
		t.Error("docs/claims.md is not what dyno knows: run go run ./cmd/dyno claims --page > docs/claims.md")
	}
}

// TestPublishedResultsCanBeLookedUp: every folder that the page links to has what
// readers are told it has.
func TestPublishedResultsCanBeLookedUp(t *testing.T) {
	records, err := published.ReadAll(os.DirFS("../../docs/results"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if _, err := os.Stat(filepath.Join("../../docs/results", r.Dir, "report.md")); err != nil {
			t.Error(err)
		}
	}
}

func TestClaimsList(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "claims")
	o.want(t, 0, o.stdout, "six-keepalive", "dyno run six-keepalive", "not measured yet", "gate-leak", "no study yet")
	o = dyno(t, home, "claims", "--page")
	o.want(t, 0, o.stdout, "# Published claims, put to the test", "## In detail")
	o = dyno(t, home, "claims", "--results", "nowhere")
	o.want(t, 1, o.stderr, "nowhere")
}

func TestPublish(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, studyFile(t, home, 2, "good"))
	text := strings.Replace(read(t, file), "study: faults\n", "study: faults\nclaims: [{id: six-keepalive, holds: errors < 50%}]\n", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	o := dyno(t, home, "run", "study.yaml", "--quiet", "--seed", "7")
	o.want(t, 0, o.stderr)
	o = dyno(t, home, "publish", "latest", "results/kept")
	o.want(t, 0, o.stdout, "six-keepalive: confirmed")
	for _, name := range []string{"manifest.json", "report.md", "trials.csv", published.FileName} {
		if text := read(t, filepath.Join(home, "results", "kept", name)); !strings.Contains(text, "faults") {
			t.Errorf("%s is not about the study:\n%s", name, text)
		}
	}
	o = dyno(t, home, "claims", "--page", "--results", "results")
	o.want(t, 0, o.stdout, "| confirmed | 1 |", "dyno run study.yaml --seed 7", "results/kept")
	o = dyno(t, home, "publish", "20990101", "results/kept")
	o.want(t, 1, o.stderr, "20990101")
}
