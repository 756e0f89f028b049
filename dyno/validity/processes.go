package validity

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// namedProcesses is how many that have ended a finding names.
const namedProcesses = 3

// judgeProcesses names the processes of the subject that ended while it was measured.
func judgeProcesses(windows []archive.Window) []finding.Finding {
	var ended []string
	var where []int
	begun := 0
	for i := range windows {
		w := &windows[i]
		p := w.Server.Process
		if p == nil || w.Client.Warmup() {
			continue
		}
		begun += p.Begun
		if len(p.Ended) > 0 {
			ended, where = append(ended, p.Ended...), append(where, w.Client.Index)
		}
	}
	if len(ended) == 0 {
		return nil
	}
	names := i18n.Names(ended[:min(len(ended), namedProcesses)]...)
	if len(ended) > namedProcesses {
		names = i18n.Join(names, i18n.New("validity.and-others", " and others"))
	}
	return []finding.Finding{newFinding(finding.ProcessEnded, finding.Suspect, where,
		i18n.New("validity.processes-came-and-went", "of the subject's processes so many ended while it was measured: %d (%s); and so many began: %d", len(ended), names, begun))}
}
