package tune

import (
	"fmt"
	"io"
	"slices"
)

// Describe prints what became of each change, or would become of it.
func Describe(w io.Writer, done []Done, dry bool) {
	if len(done) == 0 {
		fmt.Fprintln(w, "nothing to set: what this profile sets is good already, or can't be seen")
		return
	}
	made := 0
	for _, alike := range alikes(done, func(d Done) any { return [4]string{d.Setting, d.Old, d.New, d.Why} }) {
		d := alike[0]
		fmt.Fprintf(w, "  %-22s %s -> %s   /%s%s\n", d.Setting, d.Old, d.New, d.Path, andMore(len(alike)))
		if d.Why != "" {
			why := fmt.Sprintf("not set: %s", d.Why)
			if dry {
				why = fmt.Sprintf("would not be set: %s", d.Why)
			}
			fmt.Fprintf(w, "  %-22s %s\n", "", why)
		} else {
			made += len(alike)
		}
	}
	switch {
	case dry:
		fmt.Fprintf(w, "%d of %d would be set\n", made, len(done))
	case made > 0:
		fmt.Fprintf(w, "%d of %d set; dyno machine restore puts back what was before\n", made, len(done))
	default:
		fmt.Fprintf(w, "%d of %d set\n", made, len(done))
	}
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
func andMore(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-1)
}

// Refused names the settings that could not be set, each once.
func Refused(done []Done) (names []string) {
	for _, d := range done {
		if d.Why != "" && !slices.Contains(names, d.Setting) {
			names = append(names, d.Setting)
		}
	}
	return names
}

// DescribeRestored prints what became of each setting.
func DescribeRestored(w io.Writer, undone []Undone) {
	if len(undone) == 0 {
		fmt.Fprintln(w, "nothing to restore: dyno has set nothing here")
	}
	for _, alike := range alikes(undone, func(u Undone) any { return [5]string{u.Setting, u.Old, string(u.Outcome), u.Now, u.Why} }) {
		u := alike[0]
		fmt.Fprintf(w, "  %-22s %-10s %s   /%s%s\n", u.Setting, u.Outcome, u.Old, u.Path, andMore(len(alike)))
		switch {
		case u.Why != "":
			fmt.Fprintf(w, "  %-22s %s\n", "", u.Why)
		case u.Outcome == Rebooted && u.Now != "":
			fmt.Fprintf(w, "  %-22s it is %s since the machine was booted: something else sets it\n", "", u.Now)
		}
	}
}
