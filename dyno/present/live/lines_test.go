package live

import (
	"slices"
	"testing"

	"dyno.example/dyno/report"
	"dyno.example/dyno/runner"
	"dyno.example/internal/i18n"
)

func TestProgressLines(t *testing.T) {
	e := runner.Event{Line: i18n.Verbatim(runner.EndDecided), Progress: &runner.Progress{Goals: []runner.Goal{
		{Name: "a", Text: i18n.Verbatim("x"), Done: true}, {Name: "b", Text: i18n.Verbatim("y"), Blocks: 3}, {Name: "c", Text: i18n.Verbatim("z")},
	}}}
	want := []string{"a: x (done)", "b: y (about 3 more blocks)", "c: z (open)", "ends here: nothing is left to decide"}
	if got := progressLines(report.English(), &e); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
