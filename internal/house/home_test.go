package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHome gives a copy of the repository another home, and finds nothing left of the old
// one and everything there in the new one.
func TestHome(t *testing.T) {
	t.Parallel()
	copied := t.TempDir()
	files := run(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o600)
		if strings.HasPrefix(name, "scripts/") {
			mode = 0o700
		}
		to := filepath.Join(copied, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, mode); err != nil {
			t.Fatal(err)
		}
	}
	run(t, copied, "git", "init", "--quiet")
	run(t, copied, "git", "add", "--all")
	for _, wrong := range []string{"", "nodot/x", "https://example.org", "example.org/", strings.TrimSuffix(home, "/")} {
		cmd := exec.CommandContext(t.Context(), "scripts/home", wrong)
		cmd.Dir = copied
		if out, err := cmd.CombinedOutput(); err == nil || len(out) == 0 {
			t.Errorf("scripts/home %q: %v, %s", wrong, err, out)
		}
	}
	const moved = "example.org/fast/"
	run(t, copied, "scripts/home", strings.TrimSuffix(moved, "/"))
	goIn(t, copied, "", "list", "-deps", "-test", "work")
	for path := range strings.Lines(goIn(t, copied, "", "list", "-m", "-f", "{{.Path}}")) {
		if !strings.HasPrefix(path, moved) {
			t.Errorf("%s is not below %s", strings.TrimSpace(path), moved)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "grep", "-lF", home, "--", ":!*/results/*", ":!*/testdata/*")
	cmd.Dir = copied
	if out, err := cmd.Output(); err == nil {
		t.Errorf("the old home is still in\n%s", out)
	}
}

// run runs a command in dir and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &problems)
	}
	return string(out)
}
