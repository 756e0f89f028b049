// Package tune sets what can be set of a machine for measuring, and puts
// everything back. Each old value is in a journal on the disk before it is
// changed, so that restoring also works after a crash in the middle.
package tune

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/setting"
	"dyno.example/internal/i18n"
)

// Tuner changes settings of a machine.
type Tuner struct {
	Root string // the machine's root folder, "/" but in tests
	Home string // folder of the journal

	step func(name string) // if set, called after each step, in tests
}

// Done is what became of a change. Why is empty if it was made, or would be.
type Done struct {
	setting.Change
	Why i18n.Message `json:"why,omitzero"` // it was not made
}

// Plan lists the changes that tuning for a profile would make, with what is
// known to be in the way of them. It writes nothing.
func (t *Tuner) Plan(p setting.Profile) []Done {
	root := os.DirFS(t.Root)
	var all []Done
	for _, c := range setting.Plan(root, machine.Reader{Root: root}.Read(), p) {
		all = append(all, Done{Change: c, Why: i18n.Verbatim(t.obstacle(c.Path))})
	}
	return all
}

// Tune makes the changes of a profile, one after the other, until ctx ends. What
// can't be set doesn't keep it from setting the rest. The error is about the
// journal or the lock; without them nothing more is changed.
func (t *Tuner) Tune(ctx context.Context, p setting.Profile) ([]Done, error) {
	unlock, err := lock(t.Home)
	if err != nil {
		return nil, err
	}
	defer unlock()
	j := journalIn(t.Home)
	if err := t.forgetEarlierBoots(j); err != nil {
		return nil, err
	}
	var all []Done
	for _, d := range t.Plan(p) {
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		if d.Why.IsZero() {
			if err := j.append(entry{Change: d.Change, Boot: t.boot(), Time: time.Now().UTC()}); err != nil {
				return all, err
			}
			t.stepped("journal " + d.Path)
			d.Why = t.set(d.Change)
			t.stepped("set " + d.Path)
		}
		all = append(all, d)
	}
	return all, nil
}

// forgetEarlierBoots clears a journal of changes that the machine has lost since
// by being booted, and takes away a last line that is cut off.
func (t *Tuner) forgetEarlierBoots(j journal) error {
	entries, err := j.read()
	if err != nil {
		return err
	}
	var kept []entry
	for _, e := range entries {
		if e.Boot == t.boot() {
			kept = append(kept, e)
		}
	}
	if len(kept) < len(entries) {
		return j.replace(kept)
	}
	return j.trim()
}

// set writes a value and reads it back. A value that the kernel made something
// else of is taken back. It returns why the change was not made.
func (t *Tuner) set(c setting.Change) (why i18n.Message) {
	if err := t.write(c.Path, c.New); err != nil {
		return i18n.From(err)
	}
	now, err := t.current(c.Path)
	switch {
	case err != nil:
		return i18n.From(err)
	case now == setting.Normal(c.New):
		return i18n.Message{}
	}
	why = i18n.New("tune.kernel-made", "the kernel made %q of it", now)
	if err := t.write(c.Path, c.Old); err != nil {
		why = i18n.List("; ", why, i18n.From(err))
	}
	return why
}

// write writes a setting's file, which is there already.
func (t *Tuner) write(path, value string) error {
	f, err := os.OpenFile(t.file(path), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return inWords(err)
	}
	_, err = f.WriteString(value + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return inWords(err)
	}
	return nil
}

func (t *Tuner) current(path string) (string, error) {
	now, err := setting.Current(os.DirFS(t.Root), path)
	return now, inWords(err)
}

func (t *Tuner) file(path string) string { return filepath.Join(t.Root, path) }

// obstacle is what will keep a file from being written, if that is known.
func (t *Tuner) obstacle(path string) string {
	if err := unix.Access(t.file(path), unix.W_OK); err != nil {
		return inWords(&os.PathError{Op: "write", Path: t.file(path), Err: err}).Error()
	}
	return ""
}

// boot is the ID of the machine's boot.
func (t *Tuner) boot() string {
	id, _ := os.ReadFile(t.file("proc/sys/kernel/random/boot_id"))
	return strings.TrimSpace(string(id))
}

func (t *Tuner) stepped(name string) {
	if t.step != nil {
		t.step(name)
	}
}

// inWords says what to do about the usual reasons for which a setting can't be
// written.
func inWords(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS):
		return i18n.Errorf("tune.read-only", "it is mounted read-only, as in a container: tune the host")
	case errors.Is(err, fs.ErrPermission) && os.Geteuid() != 0:
		return i18n.Errorf("tune.needs-root", "needs root")
	case errors.Is(err, fs.ErrPermission):
		return i18n.Errorf("tune.refused-to-root", "refused even to root, as in a container: tune the host")
	case errors.Is(err, fs.ErrNotExist):
		return i18n.Errorf("tune.gone", "it is not there any more")
	}
	return err
}
