package regression

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/study"
)

// repository is a git repository with two commits, in a folder of its own.
func repository(t *testing.T) *Repository {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	// As in a hook of another repository.
	t.Setenv("GIT_DIR", filepath.Join(dir, "no-such"))
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Env = gitEnviron()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main")
	write("service/main.txt", "old")
	write(".git/hooks/post-checkout", "#!/bin/sh\ntouch "+filepath.Join(dir, "hook-ran")+"\n")
	run("add", "service")
	run("commit", "-qm", "old")
	write("service/main.txt", "new")
	write("added/main.txt", "new")
	run("add", "service", "added")
	run("commit", "-qm", "new")
	r, err := OpenRepository(t.Context(), filepath.Join(dir, "service"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// worktrees are those that git knows apart from the first.
func worktrees(t *testing.T, r *Repository) []string {
	t.Helper()
	list, err := git(t.Context(), r.Top, "worktree", "list", "--porcelain")
	if err != nil {
		t.Fatal(err)
	}
	var trees []string
	for line := range strings.Lines(list) {
		if tree, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok && tree != r.Top {
			trees = append(trees, tree)
		}
	}
	return trees
}

func temporary(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), checkoutPrefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestCheckout(t *testing.T) {
	r := repository(t)
	c, err := r.Checkout(t.Context(), "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(c.Tree, "service", "main.txt")); err != nil || string(text) != "old" {
		t.Errorf("checked out is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(r.Top, "hook-ran")); err == nil {
		t.Error("a hook was run")
	}
	if !strings.HasPrefix(c.Name(), "HEAD~1 (") || len(c.Commit) != 40 {
		t.Errorf("%s is commit %s", c.Name(), c.Commit)
	}
	other, err := r.Checkout(t.Context(), "main") // a second gate leaves the first alone
	if err != nil {
		t.Fatal(err)
	}
	if trees := worktrees(t, r); len(trees) != 2 {
		t.Errorf("worktrees %q", trees)
	}
	for _, c := range []*Checkout{c, other} {
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
	}
	if trees, left := worktrees(t, r), temporary(t); len(trees)+len(left) != 0 {
		t.Errorf("left behind: worktrees %q, folders %q", trees, left)
	}
}

func TestCheckoutsOfKilledGatesAreRemoved(t *testing.T) {
	r := repository(t)
	dead, err := r.Checkout(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	dead.owner.Close() // as the kernel does
	vanished, err := r.Checkout(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead.Tree); err == nil {
		t.Error("the dead gate's checkout is still there")
	}
	vanished.owner.Close()
	os.RemoveAll(vanished.folder) // by whatever tidies temporary folders
	alive, err := r.Checkout(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if trees := worktrees(t, r); !slices.Equal(trees, []string{alive.Tree}) {
		t.Errorf("worktrees %q, want %q", trees, alive.Tree)
	}
	if err := alive.Remove(); err != nil {
		t.Error(err)
	}
}

func TestACheckoutThatIsInterruptedLeavesNothing(t *testing.T) {
	r := repository(t)
	ctx, cancel := context.WithCancel(t.Context())
	commit, err := r.Resolve(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", checkoutPrefix)
	if err != nil {
		t.Fatal(err)
	}
	c := &Checkout{Ref: "main", Commit: commit, repository: r, folder: folder}
	cancel()
	if err := c.fill(ctx); err == nil {
		t.Error("git went on")
	}
	if err := c.Remove(); err != nil {
		t.Error(err)
	}
	if trees, left := worktrees(t, r), temporary(t); len(trees)+len(left) != 0 {
		t.Errorf("left behind: worktrees %q, folders %q", trees, left)
	}
}

func TestRefsThatAreNone(t *testing.T) {
	r := repository(t)
	for ref, why := range map[string]string{
		"":              "the git ref is empty",
		"nowhere":       `git knows no commit "nowhere"`,
		"--help":        `git knows no commit "--help"`,
		"HEAD:service":  "git knows no commit",
		"main\x00other": "",
	} {
		if _, err := r.Checkout(t.Context(), ref); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if left := temporary(t); len(left) != 0 {
		t.Errorf("folders %q", left)
	}
	if _, err := OpenRepository(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "in no git repository") {
		t.Errorf("%v", err)
	}
}

func TestDescribe(t *testing.T) {
	r := repository(t)
	clean, err := r.Describe(t.Context())
	if err != nil || strings.Contains(clean.String(), "with changes") {
		t.Errorf("%q, %v", clean, err)
	}
	if err := os.WriteFile(filepath.Join(r.Top, "service", "main.txt"), []byte("newer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if dirty, err := r.Describe(t.Context()); err != nil || !strings.Contains(dirty.String(), "with changes") {
		t.Errorf("%q, %v", dirty, err)
	}
}

// parsed is a study in the repository's top folder.
func parsed(t *testing.T, r *Repository, subjects string) *study.Study {
	t.Helper()
	text := "study: s\nsubjects: " + subjects + "\nloads: [{name: a, closed: {connections: 1}}, {name: ab, closed: {connections: 2}}]\nfactors: {connections: [1, 2]}\n"
	s, err := study.Parse(filepath.Join(r.Top, "study.yaml"), []byte(text), []string{"go/gin"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVersions(t *testing.T) {
	r := repository(t)
	c, err := r.Checkout(t.Context(), "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Remove()
	s := parsed(t, r, "[go/gin, {name: top, run: ./x}, {name: sub, dir: service, run: ./x, build: make}, {name: away, dir: /, run: ./x}, {name: up, url: 'http://127.0.0.1:1'}]")
	got, pairs, err := Versions(s, r, c)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pairs, []Pair{{"top@HEAD~1", "top"}, {"sub@HEAD~1", "sub"}}) || got.Reference != "top@HEAD~1" || got.Name != "s-gate" {
		t.Errorf("pairs %v, reference %s, name %s", pairs, got.Reference, got.Name)
	}
	var dirs []string
	for _, subject := range got.Subjects {
		dirs = append(dirs, subject.Name+" "+subject.Dir)
	}
	want := []string{"top@HEAD~1 " + c.Tree, "top " + r.Top, "sub@HEAD~1 " + filepath.Join(c.Tree, "service"), "sub " + filepath.Join(r.Top, "service")}
	if !slices.Equal(dirs, want) {
		t.Errorf("%q, want %q", dirs, want)
	}
	narrow, err := Narrow(got, pairs, []string{"sub"}, []string{"a, connections=2"})
	if err != nil || len(narrow.Subjects) != 2 || narrow.Subjects[0].Name != "sub@HEAD~1" || len(narrow.Loads) != 1 || narrow.Loads[0].Name != "a" || narrow.Reference != "sub@HEAD~1" {
		t.Errorf("%+v, %v", narrow, err)
	}
	if _, err := study.Expand(narrow, 1); err != nil {
		t.Error(err)
	}
	if _, err := Narrow(got, pairs, []string{"other"}, []string{"a"}); err == nil {
		t.Error("a study of nothing")
	}
}

func TestVersionsRefuse(t *testing.T) {
	r := repository(t)
	c, err := r.Checkout(t.Context(), "HEAD~1")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Remove()
	for subjects, why := range map[string]string{
		"[go/gin]":                                    "no subject that is built from " + r.Top,
		"[{name: x, dir: /, run: ./x}]":               "no subject that is built from " + r.Top,
		"[{name: x, dir: added, run: ./x}]":           "HEAD~1 has no folder added",
		"[{name: x, dir: gone, run: ./x}]":            "gone",
		"[{name: x, run: '" + r.Top + "/service/x'}]": "by its absolute path",
	} {
		if _, _, err := Versions(parsed(t, r, subjects), r, c); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", subjects, err, why)
		}
	}
}
