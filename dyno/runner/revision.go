package runner

import (
	"context"
	"os/exec"
	"strings"
)

// revision names the git commit that a user's own subject was built from, with "+changes"
// if tracked files differed; "" if it isn't known, as for a folder outside a repository.
func revision(ctx context.Context, dir string) string {
	if dir == "" {
		dir = "."
	}
	head, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--short=12", "--verify", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(head))
	changed, err := exec.CommandContext(ctx, "git", "-C", dir, "status", "--porcelain", "--untracked-files=no", "--", ".").Output()
	if err != nil {
		return ""
	}
	if len(changed) > 0 {
		name += "+changes"
	}
	return name
}
