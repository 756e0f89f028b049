package validity

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// What share of a trial's slices may be left out as the generator was stopped in them: with
// more, those left may be chosen.
const (
	manyVoid = 0.1
	mostVoid = 0.5
)

// VoidSlices says that some slices of so many were left out.
func VoidSlices(void, of int) []finding.Finding {
	if void == 0 {
		return nil
	}
	level := finding.Valid
	switch share := float64(void) / float64(of); {
	case share > mostVoid:
		level = finding.Invalid
	case share > manyVoid:
		level = finding.Suspect
	}
	return []finding.Finding{newFinding(finding.GeneratorStalled, level, nil, i18n.New("validity.void-slices",
		"in %d of %d slices a load loop was away for so long that they are left out (limit %.0f %%, and %.0f %% at most)", void, of, 100*manyVoid, 100*mostVoid))}
}

// Sliced is Trial for windows that are made of slices, between which others had the load.
// What changes from one to the next is mostly the machine, which changes for all alike: it is
// nothing against them.
func Sliced(said []finding.Finding, windows []archive.Window, c Conditions) []finding.Finding {
	var single []finding.Finding
	for i := range windows {
		w := &windows[i]
		server := judgeServer(w, &c)
		w.Why = finding.Accept(slices.Concat(w.Client.Findings, server), c.Accept)
		w.Level = finding.Worst(w.Why)
		single = append(single, server...)
	}
	settle(windows)
	found := slices.Concat(said, finding.Merge(single, len(windows)), judgeBottleneck(windows, c), judgeProcesses(windows))
	return finding.Accept(lenient(found), c.Accept)
}
