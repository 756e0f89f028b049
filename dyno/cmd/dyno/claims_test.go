package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/cmd/dyno/internal/studycmd"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/published"
)

// TestClaimsPageIsFresh: the page follows from the catalogue, the studies and what
// is published.
func TestClaimsPageIsFresh(t *testing.T) {
	results, err := filepath.Abs("../../docs/results")
	if err != nil {
		t.Fatal(err)
	}
	o := dyno(t, t.TempDir(), "claims", "--page", "--results", results)
	o.want(t, 0, o.stderr)
	if page := read(t, "../../docs/claims.md"); page != o.stdout {
		t.Error("dyno/docs/claims.md is not what dyno knows: run go run ./dyno/cmd/dyno claims --page > dyno/docs/claims.md")
	}
}

// TestPublishedResultsCanBeLookedUp: every folder that the page links to has what
// readers see it has.
func TestPublishedResultsCanBeLookedUp(t *testing.T) {
	records, err := published.ReadAll(os.DirFS("../../docs/results"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		text := read(t, filepath.Join("../../docs/results", r.Dir, "report.md"))
		if r.Run == "" { // measured by a program, which judges no run
			continue
		}
		for _, v := range r.Verdicts { // reports of today say "data:" before it, and of what is valid as disturbances were accepted that
			has := func(format string) bool {
				return v.Basis != nil && strings.Contains(text, strings.ReplaceAll(format, "VALIDITY", v.Basis.Validity))
			}
			if v.Basis == nil || v.Basis.Run != r.Run || !has("**VALIDITY**") && !has("**data: VALIDITY**") && !(v.Basis.Validity == "VALID" && has("**data: ACCEPTED**")) {
				t.Errorf("%s, %s: the verdict's validity is not that of the report: %+v", r.Dir, v.ID, v.Basis)
			}
		}
	}
}

// TestPublishedRunsAreCounted: the register of attempts has every run whose results
// are published.
func TestPublishedRunsAreCounted(t *testing.T) {
	list, err := published.Attempts("../../docs/results")
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]string{}
	for _, a := range list {
		if a.Published {
			counted[a.Run] = a.Study
		}
	}
	manifests, err := filepath.Glob("../../docs/results/*/" + published.ManifestName)
	if err != nil || len(manifests) == 0 {
		t.Fatal(len(manifests), err)
	}
	for _, name := range manifests {
		m, err := published.ReadManifest(os.DirFS("../../docs/results"), filepath.Base(filepath.Dir(name)))
		if err != nil {
			t.Fatal(err)
		}
		if counted[m.ID] != m.Study {
			t.Errorf("%s: run %s of %s is not in %s", name, m.ID, m.Study, published.RegisterName)
		}
	}
}

func TestClaimsList(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "claims")
	o.want(t, 0, o.stdout, "six-keepalive", "dyno run six-keepalive", "not measured yet", "gate-leak", "no study yet")
	results, err := filepath.Abs("../../docs/results")
	if err != nil {
		t.Fatal(err)
	}
	o = dyno(t, home, "claims", "--results", results) // what weakens a verdict stands next to it
	o.want(t, 0, o.stdout, "mixed (SUSPECT run", "confirmed, at least (SUSPECT run")
	o = dyno(t, home, "claims", "--page", "--results", results)
	o.want(t, 0, o.stdout, "# Published claims, put to the test", "## In detail")
	o = dyno(t, home, "claims", "--page") // a page on which nothing was measured would be untrue
	o.want(t, 1, o.stderr, "--results")
	o = dyno(t, home, "claims", "--results", "nowhere")
	o.want(t, 1, o.stderr, "nowhere")
}

func TestPublish(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := analysistest.Run(1)
	run.Manifest.Claims = []claim.Claim{{ID: "six-keepalive", Expressions: []string{"throughput[gin] / throughput[nethttp] > 0.5"}}}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "results", "kept")
	for range 2 { // what is there is replaced
		if err := studycmd.Publish(a, dir, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{published.ManifestName, "report.md", published.TrialsName, published.FileName} {
		text := read(t, filepath.Join(dir, name))
		if strings.HasSuffix(name, ".gz") {
			text = decompressed(t, text)
		}
		if !strings.Contains(text, "made-up") {
			t.Errorf("%s is not about the study:\n%s", name, text)
		}
	}
	o := dyno(t, home, "claims", "--page", "--results", "results")
	o.want(t, 0, o.stdout, "| confirmed | 1 |", "dyno run made-up --seed 1", "results/kept")
	o = dyno(t, home, "publish", "20990101", "results/kept")
	o.want(t, 1, o.stderr, "20990101")
	a.Validity = finding.Invalid
	if err := studycmd.Publish(a, filepath.Join(home, "results", "invalid"), ""); err == nil {
		t.Error("an invalid run is published")
	}
}

func decompressed(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}
