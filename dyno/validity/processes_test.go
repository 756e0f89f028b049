package validity

import (
	"slices"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
)

func TestProcessesThatEnd(t *testing.T) {
	at := func(index, begun int, ended ...string) archive.Window {
		return archive.Window{Client: measure.Window{Index: index}, Server: probe.Window{Process: &probe.Process{Ended: ended, Begun: begun}}}
	}
	quiet := []archive.Window{at(-1, 3, "sh (process 4)"), at(0, 0), at(1, 2), {Client: measure.Window{Index: 2}}}
	if got := judgeProcesses(quiet); len(got) > 0 {
		t.Errorf("found %+v of what ended while warming up", got)
	}
	got := judgeProcesses(append(quiet, at(3, 1, "puma (process 7)"), at(4, 0), at(5, 1, "a (process 8)", "b (process 9)", "c (process 10)")))
	if len(got) != 1 {
		t.Fatalf("found %+v", got)
	}
	f := got[0]
	const want = "of the subject's processes so many ended while it was measured: 4 (puma (process 7), a (process 8), b (process 9) and others); and so many began: 4"
	if f.Name != finding.ProcessEnded || f.Validity != finding.Suspect || !slices.Equal(f.Windows, []int{3, 5}) || f.Detail.String() != want {
		t.Errorf("found %+v", f)
	}
}
