package runcmd

import (
	"testing"

	"dyno/lab/archive"
	"dyno/lab/study"
)

func TestFailedTrials(t *testing.T) {
	trial := func(index int, status archive.Status, repeats ...int) archive.Trial {
		p := study.PlannedTrial{Index: index}
		if len(repeats) > 0 {
			p.Repeats = &repeats[0]
		}
		return archive.Trial{PlannedTrial: p, Status: status, Error: "it died"}
	}
	for name, c := range map[string]struct {
		trials []archive.Trial
		fails  bool
	}{
		"none":                {[]archive.Trial{trial(0, archive.Complete)}, false},
		"failed":              {[]archive.Trial{trial(0, archive.Failed), trial(1, archive.Complete)}, true},
		"made good":           {[]archive.Trial{trial(0, archive.Failed), trial(1, archive.Complete, 0)}, false},
		"failed again":        {[]archive.Trial{trial(0, archive.Failed), trial(1, archive.Failed, 0)}, true},
		"made good at last":   {[]archive.Trial{trial(0, archive.Failed), trial(1, archive.Failed, 0), trial(2, archive.Complete, 1)}, false},
		"another is repeated": {[]archive.Trial{trial(0, archive.Failed), trial(1, archive.Complete), trial(2, archive.Complete, 1)}, true},
	} {
		if err := failedTrials(&archive.Run{Trials: c.trials}); (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}
