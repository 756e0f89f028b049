package runcmd

import (
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

func TestFailedTrials(t *testing.T) {
	trial := func(index int, status archive.Status, repeats ...int) archive.Trial {
		p := study.PlannedTrial{Index: index}
		if len(repeats) > 0 {
			p.Repeats = &repeats[0]
		}
		return archive.Trial{PlannedTrial: p, Status: status, Error: i18n.Verbatim("it died")}
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

// What counts against a subject isn't called left out.
func TestFailedTrialsOfSubjects(t *testing.T) {
	trial := func(fault archive.Fault) archive.Trial {
		return archive.Trial{Status: archive.Failed, Error: i18n.Verbatim("it died"), Fault: fault}
	}
	ours, subjects := trial(""), trial(archive.OfSubject)
	for _, c := range []struct {
		trials []archive.Trial
		want   string
	}{
		{[]archive.Trial{ours}, "1 of 0 trials failed and are left out; the first: it died"},
		{[]archive.Trial{subjects, subjects}, "2 of 0 trials failed, which counts against their subjects; the first: it died"},
		{[]archive.Trial{ours, subjects}, "2 of 0 trials failed, 1 of them by their subjects' fault, which counts against these; the others are left out; the first: it died"},
	} {
		if err := failedTrials(&archive.Run{Trials: c.trials}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Where a run is stands under its result, in every language, and scripts find it in
// the English one.
func TestFooter(t *testing.T) {
	run := &archive.Run{Address: archive.Address(strings.Repeat("ab", 32))}
	run.Manifest.ID, run.Manifest.Command = "20260314-092653-made-up-0001", []string{"dyno", "run", "made up"}
	for lang, want := range map[string]string{
		"en": "\nrun     20260314-092653-made-up-0001\naddress " + run.Address.String() + "\nreport  r.html\nrepeat  dyno run 'made up'\n",
		"zh": "\n运行    20260314-092653-made-up-0001\n地址    " + run.Address.String() + "\n报告    r.html\n重复    dyno run 'made up'\n",
	} {
		var out strings.Builder
		if err := writeFooter(&out, run, "r.html", lang); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", lang, err, out.String())
		}
	}
}
