package regression

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dyno.example/internal/i18n"
)

// Checkout is a commit in a folder of its own, a worktree of the repository. Its
// files belong to the gate; [Checkout.Remove] deletes them.
type Checkout struct {
	Ref    string // as it was named
	Commit string
	Tree   string // the folder, symbolic links resolved

	repository *Repository
	folder     string   // holds the tree and the owner's lock
	owner      *os.File // locked while this process lives
}

// Names within the temporary folder of a checkout.
const (
	checkoutPrefix = "dyno-gate-"
	treeName       = "tree"
	ownerName      = "owner.lock"
)

// Checkout puts a commit into a temporary folder. Those that gates left behind
// which were killed are removed first.
func (r *Repository) Checkout(ctx context.Context, ref string) (*Checkout, error) {
	commit, err := r.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	r.sweep(ctx)
	folder, err := os.MkdirTemp("", checkoutPrefix)
	if err != nil {
		return nil, i18n.Errorf("regression.making-folder", "making a folder for %s: %w", ref, err)
	}
	c := &Checkout{Ref: ref, Commit: commit, repository: r, folder: folder}
	if err := c.fill(ctx); err != nil {
		return nil, errors.Join(i18n.Errorf("regression.checking-out", "checking out %s: %w", ref, err), c.Remove())
	}
	return c, nil
}

func (c *Checkout) fill(ctx context.Context) error {
	folder, err := filepath.EvalSymlinks(c.folder)
	if err != nil {
		return err
	}
	c.Tree = filepath.Join(folder, treeName)
	c.owner, err = os.OpenFile(filepath.Join(c.folder, ownerName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(c.owner.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	_, err = git(ctx, c.repository.Top, "worktree", "add", "--detach", "--force", c.Tree, c.Commit)
	return err
}

// Name is the ref with the commit it means.
func (c *Checkout) Name() string {
	if strings.HasPrefix(c.Commit, c.Ref) {
		return shortCommit(c.Commit)
	}
	return fmt.Sprintf("%s (%s)", c.Ref, shortCommit(c.Commit))
}

// patience is how long git may take to remove a checkout.
const patience = 30 * time.Second

// Remove deletes the checkout, also from git's list of worktrees.
func (c *Checkout) Remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if c.owner != nil {
		c.owner.Close()
	}
	if err := os.RemoveAll(c.folder); err != nil {
		return i18n.Errorf("regression.removing-checkout", "removing the checkout of %s: %w", c.Ref, err)
	}
	// Git forgets a worktree whose folder is gone.
	if _, err := git(ctx, c.repository.Top, "worktree", "prune"); err != nil {
		return i18n.Errorf("regression.removing-worktree", "removing the checkout of %s from git's list: %w", c.Ref, err)
	}
	return nil
}

// sweep removes the checkouts of gates that ended without doing so, as when they
// were killed. What can't be removed costs space only.
func (r *Repository) sweep(ctx context.Context) {
	list, err := git(ctx, r.Top, "worktree", "list", "--porcelain")
	if err != nil {
		return
	}
	for line := range strings.Lines(list) {
		tree, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		folder := filepath.Dir(tree)
		if !ok || filepath.Base(tree) != treeName || !strings.HasPrefix(filepath.Base(folder), checkoutPrefix) {
			continue
		}
		if !owned(filepath.Join(folder, ownerName)) {
			os.RemoveAll(folder)
		}
	}
	git(ctx, r.Top, "worktree", "prune")
}

// owned reports whether a live process holds the lock.
func owned(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}
