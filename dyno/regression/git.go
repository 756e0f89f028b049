package regression

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dyno.example/internal/i18n"
)

// Repository is a git repository with a working tree.
type Repository struct {
	Top string // folder of the working tree, symbolic links resolved
}

// OpenRepository finds the repository that a folder is in.
func OpenRepository(ctx context.Context, dir string) (*Repository, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, i18n.Errorf("regression.git-missing", "git is not in PATH: install it")
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, i18n.Errorf("regression.git-no-repository", "%s is in no git repository with a working tree: %w", dir, err)
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, err
	}
	return &Repository{Top: top}, nil
}

// Resolve returns the commit that a ref means: a branch, a tag, a hash, HEAD~3.
func (r *Repository) Resolve(ctx context.Context, ref string) (commit string, err error) {
	if strings.TrimSpace(ref) == "" {
		return "", i18n.Errorf("regression.git-ref-empty", "the git ref is empty: name a branch, a tag or a commit")
	}
	commit, err = git(ctx, r.Top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil {
		return commit, nil
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	hint := ""
	if shallow, _ := git(ctx, r.Top, "rev-parse", "--is-shallow-repository"); shallow == "true" {
		hint = "; this clone is shallow, so fetch it first (git fetch --unshallow, or fetch-depth: 0 of actions/checkout)"
	}
	return "", i18n.Errorf("regression.git-unknown-commit", "git knows no commit %q in %s%s", ref, r.Top, hint)
}

// shortCommit is as much of a commit's hash as git shows.
func shortCommit(commit string) string { return commit[:min(len(commit), 12)] }

// Describe names what is in the working tree: a commit, and whether files that
// git follows differ from it.
func (r *Repository) Describe(ctx context.Context) (i18n.Message, error) {
	head, err := git(ctx, r.Top, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return i18n.Message{}, i18n.Errorf("regression.git-head-unknown", "finding what is checked out in %s: %w", r.Top, err)
	}
	changed, err := git(ctx, r.Top, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return i18n.Message{}, i18n.Errorf("regression.finding-changed", "finding what has changed in %s: %w", r.Top, err)
	}
	if changed != "" {
		return i18n.New("regression.changed-tree", "the working tree (%s with changes)", shortCommit(head)), nil
	}
	return i18n.New("regression.tree", "the working tree (%s)", shortCommit(head)), nil
}

// git runs a git command in a folder and returns what it prints. Hooks are not
// run: they are about people's work, not about measuring.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull, "-C", dir}, args...)...)
	cmd.Env = gitEnviron()
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if text := strings.TrimSpace(problems.String()); text != "" {
			return "", fmt.Errorf("git %s: %s", args[0], text)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// gitEnviron is dyno's environment without what would make git look at another
// repository than that of the folder, as within a hook.
func gitEnviron() []string {
	env := []string{"LC_ALL=C"}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "LC_ALL":
		default:
			env = append(env, variable)
		}
	}
	return env
}
