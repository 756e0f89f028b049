package regression

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
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

// storedConditions lists what differs between a baseline and a run apart from the
// figures.
func storedConditions(b *baseline.Baseline, m *archive.Manifest) []compare.Condition {
	list := compare.HardwareDifferences(b.Machine, compare.Hardware(&m.Machine))
	add := func(what i18n.Message, old string, new string) {
		if old != new {
			list = append(list, compare.Condition{What: what, Old: i18n.Verbatim(old), New: i18n.Verbatim(new)})
		}
	}
	add(i18n.Verbatim("kernel"), b.Kernel, m.Machine.Kernel)
	add(i18n.Verbatim("dyno"), b.Dyno, m.Dyno)
	add(i18n.Verbatim("placement"), b.Placement, m.Placement.Mode)
	add(i18n.Verbatim("study"), b.Study.Name, m.Study)
	add(i18n.New("compare.study-text", "study text"), shortHash(b.Study.Hash), shortHash(baseline.StudyHash(m)))
	add(i18n.Verbatim("quick"), strconv.FormatBool(b.Study.Quick), strconv.FormatBool(m.Quick))
	for _, old := range b.Subjects {
		for _, new := range m.Subjects {
			if old.Name == new.Name {
				add(i18n.New("gate.subject-version", "subject %s: version", old.Name), old.Version, new.Version)
				add(i18n.New("gate.subject-build", "subject %s: build", old.Name), shortHash(old.Build), shortHash(new.BuildHash))
			}
		}
	}
	return list
}

// shortHash is as much of a hash as a reader needs.
func shortHash(hash string) string { return hash[:min(len(hash), len("sha256:")+12)] }
