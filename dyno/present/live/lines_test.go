package live

import (
	"slices"
	"testing"

	"dyno.example/dyno/report"
	"dyno.example/dyno/runner"
)

func TestProgressLines(t *testing.T) {
	e := runner.Event{Line: runner.EndDecided, Progress: &runner.Progress{Goals: []runner.Goal{
		{Name: "a", Text: "x", Done: true}, {Name: "b", Text: "y", Blocks: 3}, {Name: "c", Text: "z"},
	}}}
	want := []string{"a: x (done)", "b: y (about 3 more blocks)", "c: z (open)", "ends here: nothing is left to decide"}
	if got := progressLines(report.English(), &e); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
