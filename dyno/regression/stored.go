package regression

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/machine"
	"strconv"
)

// Comparable is the error of type [*compare.MachinesError] for a baseline of
// another machine than f's, or nil.
func Comparable(b *baseline.Baseline, f *machine.Fingerprint) error {
	if d := compare.HardwareDifferences(b.Machine, compare.Hardware(f)); len(d) > 0 {
		return &compare.MachinesError{Differences: d}
	}
	return nil
}

// storedConditions lists what differs between a baseline and a run besides the
// figures.
func storedConditions(b *baseline.Baseline, m *archive.Manifest) []compare.Condition {
	list := compare.HardwareDifferences(b.Machine, compare.Hardware(&m.Machine))
	add := func(what, old, new string) {
		if old != new {
			list = append(list, compare.Condition{What: what, Old: old, New: new})
		}
	}
	add("kernel", b.Kernel, m.Machine.Kernel)
	add("dyno", b.Dyno, m.Dyno)
	add("placement", b.Placement, m.Placement.Mode)
	add("study", b.Study.Name, m.Study)
	add("study text", shortHash(b.Study.Hash), shortHash(baseline.StudyHash(m)))
	add("quick", strconv.FormatBool(b.Study.Quick), strconv.FormatBool(m.Quick))
	for _, old := range b.Subjects {
		for _, new := range m.Subjects {
			if old.Name == new.Name {
				add("subject "+old.Name+": version", old.Version, new.Version)
				add("subject "+old.Name+": build", shortHash(old.Build), shortHash(new.BuildHash))
			}
		}
	}
	return list
}

// shortHash is as much of a hash as a reader needs.
func shortHash(hash string) string { return hash[:min(len(hash), len("sha256:")+12)] }
