package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestRevision(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if got := revision(t.Context(), dir); got != "" {
		t.Errorf("%q of no repository", got)
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	if got := revision(t.Context(), dir); got != "" {
		t.Errorf("%q of a repository without a commit", got)
	}
	write("package main\n")
	git("add", ".")
	git("commit", "-qm", "first")
	clean := revision(t.Context(), dir)
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(clean) {
		t.Errorf("%q", clean)
	}
	write("package other\n")
	if got := revision(t.Context(), dir); got != clean+"+changes" {
		t.Errorf("%q, want %s+changes", got, clean)
	}
}
