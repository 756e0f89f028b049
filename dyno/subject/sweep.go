package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// keeperPatience is how long a keeper whose dyno has died may take to end its subject
// before it counts as hung: the usual grace and then some.
const keeperPatience = 5 * time.Second

// Ended is a left-over that a sweep has ended.
type Ended struct {
	Subject string
	PIDs    []int // what was killed
}

// Sweep ends the subjects that earlier dynos left behind and whose keepers were killed
// too, and returns them. A process is ended only if PID, start time and boot ID are
// those in the journal, or if it inherited the subject's random token; subjects of a
// dyno that still runs are not touched.
func Sweep(ctx context.Context, stateDir string) ([]Ended, error) {
	files, err := entryFiles(stateDir)
	if err != nil {
		return nil, fmt.Errorf("look for left-over subjects: %w", err)
	}
	var ended []Ended
	var errs []error
	for _, file := range files {
		e, err := readEntry(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // its keeper has just finished
		}
		if err != nil {
			errs = append(errs, err, os.Remove(file))
			continue
		}
		pids, err := e.sweep(ctx, stateDir)
		if len(pids) > 0 {
			ended = append(ended, Ended{Subject: e.Subject, PIDs: pids})
		}
		errs = append(errs, err)
	}
	return ended, errors.Join(errs...)
}

func (e Entry) sweep(ctx context.Context, stateDir string) ([]int, error) {
	if e.Boot != bootID() {
		e.removeFiles()
		e.remove(stateDir)
		return nil, nil
	}
	if e.Namespace != "" && e.Namespace != pidNamespace() {
		return nil, nil // its PIDs mean other processes here
	}
	if alive(e.Keeper) && alive(e.Owner) {
		return nil, nil
	}
	if err := e.awaitKeeper(ctx); err != nil {
		return nil, err
	}
	pids, err := e.end(ctx)
	if err == nil {
		e.remove(stateDir)
	}
	return pids, err
}

// awaitKeeper lets a keeper whose dyno has died do its work, and kills it if it
// does not.
func (e Entry) awaitKeeper(ctx context.Context) error {
	deadline := time.Now().Add(keeperPatience)
	for alive(e.Keeper) {
		if time.Now().After(deadline) {
			killProcess(e.Keeper)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// end kills what is left of the subject until nothing is, and returns what it
// killed.
func (e Entry) end(ctx context.Context) ([]int, error) {
	var killed []int
	deadline := time.Now().Add(endWithin)
	for {
		left := e.leftovers()
		if len(left) == 0 {
			e.removeCgroups()
			e.removeFiles()
			slices.Sort(killed)
			return slices.Compact(killed), nil
		}
		if time.Now().After(deadline) {
			return killed, i18n.Errorf("subject.processes-survive", "subject %s can't be ended: processes %v do not die", e.Subject, left)
		}
		e.cgroup().kill()
		for _, id := range left {
			killed = append(killed, id.PID)
			killProcess(id)
		}
		select {
		case <-ctx.Done():
			return killed, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// leftovers lists what certainly belongs to the entry: its own process with
// its descendants, the members of its cgroup, and all that carry its token.
func (e Entry) leftovers() []identity {
	var left []identity
	if leader := (identity{PID: e.PID, Start: e.Start}); alive(leader) {
		left = append(left, leader)
		left = append(left, identities(descendants(e.PID))...)
	}
	left = append(left, identities(e.cgroup().members())...)
	if e.Token != "" {
		left = append(left, marked(tokenVariable+"="+e.Token)...)
	}
	return left
}

// cgroup opens the entry's cgroup.
func (e Entry) cgroup() *cgroup { return e.opened(e.Cgroup) }

// opened opens a cgroup of the entry's. Its name holds the token, so it is the entry's
// own.
func (e Entry) opened(path string) *cgroup {
	if len(e.Token) < 8 || !strings.HasSuffix(path, e.Token[:8]) {
		return nil
	}
	return openCgroup(path)
}

// removeCgroups removes the entry's cgroups, which have no members any more.
func (e Entry) removeCgroups() {
	e.cgroup().remove()
	for _, path := range e.LimitGroups {
		e.opened(path).remove()
	}
}

// identities names those of the processes that still run.
func identities(pids []int) []identity {
	var ids []identity
	for _, pid := range pids {
		start, err := startTime(pid)
		if id := (identity{PID: pid, Start: start}); err == nil && alive(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// removeFiles removes what there was for as long as it ran.
func (e Entry) removeFiles() {
	removeFolder(e.Folder, e.Token)
	if name := filepath.Base(e.Log); strings.HasPrefix(name, tempLogPrefix) && strings.HasSuffix(name, tempLogSuffix) {
		_ = os.Remove(e.Log)
	}
}
