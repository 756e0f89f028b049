package tune

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/setting"
	"dyno.example/internal/i18n"
)

// Assignment is settings with chosen values, until it is undone.
type Assignment struct {
	tuner   *Tuner
	entries []entry // as they are in the journal
	spare   bool    // what others have changed since is no error
}

// Assign gives settings the values wanted, by name, in the order of names; see
// [setting.Assign]. As with [Tuner.Tune] each old value is in the journal before
// it is changed, so that [Tuner.PutBack] and [Tuner.Restore] put it back should
// this process not live to. Unlike it, Assign sets all or nothing: after an error everything is as
// before, as far as it can be. What has its value already is not touched.
func (t *Tuner) Assign(wanted map[string]string) (*Assignment, error) {
	changes, err := t.wanted(wanted)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(t.Home)
	if err != nil {
		return nil, err
	}
	defer unlock()
	j := journalIn(t.Home)
	if err := t.forgetEarlierBoots(j); err != nil {
		return nil, err
	}
	a := &Assignment{tuner: t}
	for _, c := range changes {
		if err := a.set(j, c); err != nil {
			return nil, errors.Join(err, a.undo(j))
		}
	}
	return a, nil
}

// wanted lists the changes, if nothing is known to be in the way of them.
func (t *Tuner) wanted(values map[string]string) ([]setting.Change, error) {
	root := os.DirFS(t.Root)
	fingerprint := machine.Reader{Root: root}.Read()
	var all []setting.Change
	for _, name := range slices.Sorted(maps.Keys(values)) {
		changes, err := setting.Assign(root, fingerprint, name, values[name])
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if why := t.obstacle(c.Path); why != "" {
				return nil, fmt.Errorf("%s can't be set to %s: /%s: %s", name, c.New, c.Path, why)
			}
		}
		all = append(all, changes...)
	}
	return all, nil
}

// set notes a change and makes it.
func (a *Assignment) set(j journal, c setting.Change) error {
	e := entry{Change: c, Boot: a.tuner.boot(), Time: time.Now().UTC(), Assigned: true}
	if err := j.append(e); err != nil {
		return err
	}
	a.entries = append(a.entries, e)
	a.tuner.stepped("journal " + c.Path)
	if why := a.tuner.set(c); !why.IsZero() {
		return fmt.Errorf("%s can't be set to %s: /%s: %s", c.Setting, c.New, c.Path, why)
	}
	a.tuner.stepped("set " + c.Path)
	return nil
}

// Undo puts the old values back, the last change first, and takes the changes out of
// the journal. What others have changed since is not touched, and like what can't be
// put back stays in the journal for [Tuner.Restore]. A nil Assignment has nothing to
// undo.
func (a *Assignment) Undo() error {
	if a == nil || len(a.entries) == 0 {
		return nil
	}
	unlock, err := lock(a.tuner.Home)
	if err != nil {
		return err
	}
	defer unlock()
	return a.undo(journalIn(a.tuner.Home))
}

// PutBack undoes what is left of assignments whose process died before it could. The
// caller makes sure that none is under way. What others have changed since is not
// touched and stays in the journal, which is no error.
func (t *Tuner) PutBack() error {
	j := journalIn(t.Home)
	entries, err := j.read()
	if other := (*ownerError)(nil); errors.Is(err, fs.ErrPermission) || errors.As(err, &other) {
		return nil // it is of another user, who may also put it back
	}
	left := slices.DeleteFunc(entries, func(e entry) bool { return !e.Assigned || e.Boot != t.boot() })
	if err != nil || len(left) == 0 {
		return err
	}
	unlock, err := lock(t.Home)
	if err != nil {
		return err
	}
	defer unlock()
	return (&Assignment{tuner: t, entries: left, spare: true}).undo(j)
}

func (a *Assignment) undo(j journal) error {
	entries, err := j.read()
	if err != nil {
		return err
	}
	var failed []error
	for _, e := range slices.Backward(a.entries) {
		if why, foreign := a.putBack(e); !why.IsZero() {
			if foreign && a.spare {
				continue
			}
			failed = append(failed, fmt.Errorf("%s was not put back to %s: /%s: %s; dyno machine restore tries again", e.Setting, e.Old, e.Path, why))
			continue
		}
		a.tuner.stepped("undo " + e.Path)
		entries = without(entries, e)
	}
	a.entries = nil
	return errors.Join(append(failed, j.replace(entries))...)
}

// putBack returns why a change could not be undone, and whether that is because
// somebody else has changed it since.
func (a *Assignment) putBack(e entry) (why i18n.Message, foreign bool) {
	now, err := a.tuner.current(e.Path)
	switch {
	case err != nil:
		return i18n.From(err), false
	case now == setting.Normal(e.Old):
		return i18n.Message{}, false
	case now != setting.Normal(e.New):
		return i18n.New("tune.changed-by-others", "it is %s, which dyno has not set", now), true
	}
	return a.tuner.set(setting.Change{Path: e.Path, Old: e.New, New: e.Old}), false
}

// without returns the entries less the last one that is e.
func without(entries []entry, e entry) []entry {
	for i := len(entries) - 1; i >= 0; i-- {
		if other := entries[i]; other.Change == e.Change && other.Time.Equal(e.Time) {
			return slices.Delete(slices.Clone(entries), i, i+1)
		}
	}
	return entries
}
