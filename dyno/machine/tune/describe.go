package tune

import (
	"fmt"
	"io"
	"slices"

	"dyno.example/dyno/internal/columns"
	"dyno.example/internal/i18n"
)

// Describe prints what became of each change, or would become of it.
func Describe(w io.Writer, done []Done, dry bool, say i18n.Say) {
	if len(done) == 0 {
		fmt.Fprintln(w, say(i18n.New("tune.nothing-to-set", "nothing to set: what this profile sets is good already, or can't be seen")))
		return
	}
	made := 0
	for _, alike := range alikes(done, func(d Done) any {
		return [4]string{d.Setting, d.Old, d.New, d.Why.String()}
	}) {
		d := alike[0]
		fmt.Fprintf(w, "  %-22s %s -> %s   /%s%s\n", d.Setting, d.Old, d.New, d.Path, say(andMore(len(alike))))
		if !d.Why.IsZero() {
			why := i18n.New("tune.not-set", "not set: %s", d.Why)
			if dry {
				why = i18n.New("tune.would-not-set", "would not be set: %s", d.Why)
			}
			fmt.Fprintf(w, "  %-22s %s\n", "", say(why))
		} else {
			made += len(alike)
		}
	}
	result := i18n.New("tune.set", "%d of %d set", made, len(done))
	switch {
	case dry:
		result = i18n.New("tune.would-set", "%d of %d would be set", made, len(done))
	case made > 0:
		result = i18n.New("tune.set-and-kept", "%d of %d set; dyno machine restore puts back what was before", made, len(done))
	}
	fmt.Fprintln(w, say(result))
}

// alikes puts neighbours with the same key together, such as those of all CPUs.
func alikes[T any](all []T, key func(T) any) (groups [][]T) {
	for i := range all {
		if last := len(groups) - 1; last >= 0 && key(groups[last][0]) == key(all[i]) {
			groups[last] = append(groups[last], all[i])
			continue
		}
		groups = append(groups, all[i:i+1:i+1])
	}
	return groups
}

// andMore follows the first of n files.
func andMore(n int) i18n.Message {
	if n == 1 {
		return i18n.Message{}
	}
	return i18n.New("tune.and-more", " and %d more", n-1)
}

// Refused names the settings that could not be set, each once.
func Refused(done []Done) (names []string) {
	for _, d := range done {
		if !d.Why.IsZero() && !slices.Contains(names, d.Setting) {
			names = append(names, d.Setting)
		}
	}
	return names
}

// DescribeRestored prints what became of each setting.
func DescribeRestored(w io.Writer, undone []Undone, say i18n.Say) {
	if len(undone) == 0 {
		fmt.Fprintln(w, say(i18n.New("tune.nothing-to-restore", "nothing to restore: dyno has set nothing here")))
	}
	for _, alike := range alikes(undone, func(u Undone) any {
		return [5]string{u.Setting, u.Old, string(u.Outcome), u.Now, u.Why.String()}
	}) {
		u := alike[0]
		fmt.Fprintf(w, "  %-22s %s %s   /%s%s\n", u.Setting, columns.Left(say(u.Outcome.Message()), 10), u.Old, u.Path, say(andMore(len(alike))))
		switch {
		case !u.Why.IsZero():
			fmt.Fprintf(w, "  %-22s %s\n", "", say(u.Why))
		case u.Outcome == Rebooted && u.Now != "":
			fmt.Fprintf(w, "  %-22s %s\n", "", say(i18n.New("tune.since-booted", "it is %s since the machine was booted: something else sets it", u.Now)))
		}
	}
}
