package tune

import (
	"fmt"
	"slices"

	"dyno.example/dyno/machine/setting"
	"dyno.example/internal/i18n"
)

// Outcome is what became of a setting that was to be restored.
type Outcome string

// The outcomes.
const (
	Restored Outcome = "restored"
	AsBefore Outcome = "as before" // it had its old value already
	Foreign  Outcome = "foreign"   // others have changed it since; it was not touched
	Failed   Outcome = "failed"    // it could not be written
	Rebooted Outcome = "rebooted"  // the machine was booted since, which undid it
)

// Message is the outcome as a word of a table.
func (o Outcome) Message() i18n.Message {
	switch o {
	case Restored:
		return i18n.New("tune.restored", string(Restored))
	case AsBefore:
		return i18n.New("tune.as-before", string(AsBefore))
	case Foreign:
		return i18n.New("tune.foreign", string(Foreign))
	case Failed:
		return i18n.New("tune.failed", string(Failed))
	case Rebooted:
		return i18n.New("tune.rebooted", string(Rebooted))
	}
	return i18n.Verbatim(string(o))
}

// Undone is a setting's file with what became of it.
type Undone struct {
	setting.Change              // Old is the value from before all tuning, New the last that was set
	Outcome        Outcome      `json:"outcome"`
	Now            string       `json:"now,omitempty"` // its value, if it is not Old
	Why            i18n.Message `json:"why,omitzero"`
}

// tuned is a file with all that the journal says of it.
type tuned struct {
	setting.Change
	ours    []string // values that it may have by our doing
	entries []entry
}

// Restore puts back what the journal says, the last change first, and clears it. A
// value that others have set meanwhile is not touched unless force is set. What could
// not be put back stays in the journal.
func (t *Tuner) Restore(force bool) ([]Undone, error) {
	unlock, err := lock(t.Home)
	if err != nil {
		return nil, err
	}
	defer unlock()
	j := journalIn(t.Home)
	entries, err := j.read()
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	var all []Undone
	var left []entry
	for _, f := range slices.Backward(byFile(entries)) {
		u := t.restore(&f, force)
		t.stepped("restore " + u.Path)
		if u.Outcome == Failed || u.Outcome == Foreign {
			left = append(slices.Clone(f.entries), left...)
		}
		all = append(all, u)
	}
	if err := j.replace(left); err != nil {
		return all, fmt.Errorf("clearing the journal of settings: %w", err)
	}
	return all, nil
}

// Pending lists what the journal says is tuned now, the first change first. After
// a boot that is nothing.
func (t *Tuner) Pending() ([]setting.Change, error) {
	entries, err := journalIn(t.Home).read()
	var all []setting.Change
	for _, f := range byFile(entries) {
		if f.entries[0].Boot == t.boot() {
			all = append(all, f.Change)
		}
	}
	return all, err
}

// byFile puts together what was done to each file, in the order of first
// changes.
func byFile(entries []entry) []tuned {
	var files []tuned
	at := make(map[string]int)
	for _, e := range entries {
		i, ok := at[e.Path]
		if !ok {
			i = len(files)
			at[e.Path] = i
			files = append(files, tuned{Change: e.Change})
		}
		f := &files[i]
		f.New = e.New
		f.ours = append(f.ours, setting.Normal(e.Old), setting.Normal(e.New))
		f.entries = append(f.entries, e)
	}
	return files
}

func (t *Tuner) restore(f *tuned, force bool) Undone {
	u := Undone{Change: f.Change, Outcome: AsBefore}
	now, err := t.current(f.Path)
	switch {
	case f.entries[0].Boot != t.boot():
		u.Outcome = Rebooted
		if err == nil && now != setting.Normal(f.Old) {
			u.Now = now
		}
	case err != nil:
		u.Outcome, u.Why = Failed, i18n.From(err)
	case now == setting.Normal(f.Old):
	case !force && !slices.Contains(f.ours, now):
		u.Outcome, u.Now, u.Why = Foreign, now, i18n.New("tune.changed-by-others-force", "it is %s, which dyno has not set; restore --force puts it back to %s", now, f.Old)
	default:
		u.Outcome = Restored
		if why := t.set(setting.Change{Path: f.Path, Old: now, New: f.Old}); !why.IsZero() {
			u.Outcome, u.Now, u.Why = Failed, now, why
		}
	}
	return u
}

// Incomplete is an error if some settings could not be restored.
func Incomplete(all []Undone) error {
	var names []string
	for _, u := range all {
		if u.Outcome == Failed || u.Outcome == Foreign {
			names = append(names, u.Setting)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return i18n.Errorf("tune.not-restored", "not restored: %s", i18n.Names(slices.Compact(names)...))
}
