package house

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestChanged: scripts/changed names the modules that a change touches and those that
// stand on them, whether or not git knows of it yet.
func TestChanged(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join(root, "scripts", "changed"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"scripts/changed":                       string(text),
		"README.md":                             "read me\n",
		"go.work":                               "go 1.26.0\n\nuse (\n\t./low\n\t./low/inside\n\t./high\n)\n\nreplace " + home + "low v0.0.0 => ./low\n",
		"low/go.mod":                            "module " + home + "low\n\ngo 1.26.0\n",
		"low/inside/go.mod":                     "module " + home + "low/inside\n\ngo 1.26.0\n",
		"low/inside/deep/a.txt":                 "a\n",
		"low/a.txt":                             "a\n",
		"high/go.mod":                           "module " + home + "high\n\ngo 1.26.0\n\nrequire " + home + "low v0.0.0\n",
		"high/a.txt":                            "a\n",
		"dyno/subjects/go/stands/go.mod":        "module stands\n\ngo 1.26.0\n\nrequire (\n\t" + home + "low v0.0.0\n)\n",
		"dyno/subjects/go/stands/a_test.go":     "package stands\n",
		"dyno/subjects/go/alone/go.mod":         "module alone\n\ngo 1.26.0\n",
		"dyno/subjects/go/alone/a_test.go":      "package alone\n",
		"dyno/subjects/go/untested/go.mod":      "module untested\n\ngo 1.26.0\n",
		"dyno/subjects/go/untested/a.go":        "package untested\n",
		"dyno/subjects/go/not-module/a_test.go": "package not\n",
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("checkout", "-q", "-b", "work")

	changed := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "scripts", "changed"), args...)
		cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=-mod=readonly", "GOPROXY=off")
		var problems strings.Builder
		cmd.Stderr = &problems
		out, err := cmd.Output()
		return strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ", ") + problems.String(), err
	}
	for _, tt := range []struct{ name, file, want string }{
		{"one that others stand on", "low/a.txt", "module low, module high, subject stands"},
		{"new", "low/new.txt", "module low, module high, subject stands"},
		{"nearest", "low/inside/deep/a.txt", "module low/inside"},
		{"on top", "high/a.txt", "module high"},
		{"of no module", "README.md", ""},
		{"subject", "dyno/subjects/go/alone/a_test.go", "subject alone"},
		{"workspace", "go.work", "module low, module low/inside, module high, subject stands"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(tt.file, files[tt.file]+"\n// more\n")
			uncommitted, err := changed()
			if err != nil {
				t.Fatalf("%v: %s", err, uncommitted)
			}
			git("add", "-A")
			git("commit", "-q", "-m", tt.name)
			committed, err := changed()
			since, sinceErr := changed("HEAD~1")
			if err := cmp.Or(err, sinceErr); err != nil {
				t.Fatal(err)
			}
			if uncommitted != tt.want || committed != tt.want || since != tt.want {
				t.Errorf("not committed: %q, committed: %q, since the commit before: %q; want %q", uncommitted, committed, since, tt.want)
			}
			git("reset", "-q", "--hard", "main")
			git("clean", "-qfd")
		})
	}
	if said, err := changed("nowhere"); err == nil || !strings.Contains(said, "there is no commit nowhere") {
		t.Errorf("of a commit that doesn't exist: %v, %q", err, said)
	}
}
