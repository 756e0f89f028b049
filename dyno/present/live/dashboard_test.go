package live

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/dyno/runner"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// newTestDashboard is one on a terminal of the given size.
func newTestDashboard(columns, height int, subjects ...string) (*Dashboard, *strings.Builder) {
	var out strings.Builder
	s := &study.Study{}
	for _, name := range subjects {
		s.Subjects = append(s.Subjects, study.Subject{Name: name})
	}
	d := NewDashboard(&out, report.English(), &runner.Runner{Study: s, Plan: study.Plan{Trials: make([]study.PlannedTrial, 8), Estimate: time.Minute}})
	d.size = func() (int, int) { return columns, height }
	return d, &out
}

// screen is what a terminal shows after the escapes that a dashboard uses.
func screen(t *testing.T, text string) []string {
	t.Helper()
	var rows []string
	at := 0
	for text != "" {
		var up int
		switch {
		case strings.HasPrefix(text, "\r"):
			text = text[1:]
		case strings.HasPrefix(text, "\x1b[K"):
			text = text[3:]
		case strings.HasPrefix(text, "\x1b[J"):
			rows, text = rows[:at], text[3:]
		case strings.HasPrefix(text, "\x1b["):
			if _, err := fmt.Sscanf(text, "\x1b[%dA", &up); err != nil || up > at {
				t.Fatalf("at row %d: %q", at, text[:min(8, len(text))])
			}
			at -= up
			text = text[strings.Index(text, "A")+1:]
		default:
			line, rest, whole := strings.Cut(text, "\n")
			if !whole {
				t.Fatalf("a line without an end: %q", text)
			}
			if at == len(rows) {
				rows = append(rows, "")
			}
			rows[at] = strings.TrimSuffix(line, "\x1b[K")
			at, text = at+1, rest
		}
	}
	return rows
}

func events() []runner.Event {
	trial := &study.PlannedTrial{Index: 0, Block: 1}
	cell := &study.Cell{Subject: "go/gin", Load: "saturate"}
	hist := measure.NewHistogram()
	hist.RecordValue(int64(3 * time.Millisecond))
	window := &archive.Window{Client: measure.Window{Length: time.Second, Completed: 12345}}
	window.Client.Hist[measure.Response] = hist
	return []runner.Event{
		{Kind: runner.Building, Subject: "go/gin"},
		{Kind: runner.BuildLine, Subject: "go/gin", Line: i18n.Join("\x1b[31mdownloading\t", strings.Repeat("x", 300))},
		{Kind: runner.Built, Subject: "go/gin", Line: i18n.Verbatim("cached")},
		{Kind: runner.Checking, Subject: "go/gin"},
		{Kind: runner.Checked, Subject: "go/gin"},
		{Kind: runner.Begun, Run: "r", Time: time.Unix(0, 0)},
		{Kind: runner.TrialStarted, Trial: trial, Cell: cell},
		{Kind: runner.WindowDone, Trial: trial, Cell: cell, Window: window},
	}
}

func TestDashboardFitsTheTerminal(t *testing.T) {
	for _, columns := range []int{20, 40, 60, 80, 200} {
		d, out := newTestDashboard(columns, 24, "go/nethttp", "go/gin")
		for _, e := range events() {
			e.Total = 8
			d.Event(e)
			rows := screen(t, out.String())
			for _, row := range rows {
				if utf8.RuneCountInString(row) >= columns || strings.ContainsAny(row, "\x1b\t") {
					t.Errorf("%d columns, %s: %q does not fit or holds control characters", columns, e.Kind, row)
				}
			}
			if len(rows) < 5 {
				t.Errorf("%d columns, %s: only %q", columns, e.Kind, rows)
			}
		}
		if columns >= 40 {
			wants(t, out.String(), "12,345")
		}
	}
}

func TestDashboardOnALowTerminal(t *testing.T) {
	d, out := newTestDashboard(80, 5, "a", "b", "c", "d", "e", "go/gin")
	for _, e := range events() {
		d.Event(e)
		if rows := screen(t, out.String()); len(rows) != 4 {
			t.Fatalf("%d rows on a terminal of 5: %q", len(rows), rows)
		}
	}
}

// With more subjects than lines, that which runs is among those shown, and what runs now
// and the problems are not lost below.
func TestDashboardOfManySubjects(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("language-%02d/framework", i))
	}
	d, out := newTestDashboard(80, 24, names...)
	d.Event(runner.Event{Kind: runner.Begun, Run: "r"})
	d.Event(runner.Event{Kind: runner.Busy, Line: i18n.Verbatim("busy: somebody")})
	for _, name := range names {
		d.Event(runner.Event{Kind: runner.TrialStarted, Trial: &study.PlannedTrial{}, Cell: &study.Cell{Subject: name, Load: "saturate"}})
		rows := screen(t, out.String())
		if len(rows) > 23 {
			t.Fatalf("%d rows on a terminal of 24", len(rows))
		}
		wants(t, strings.Join(rows, "\n"), "▸ "+name, "more subjects", "now: block 1, "+name, "busy: somebody")
	}
}

func TestDashboardTellsOfTrialsWithoutFigures(t *testing.T) {
	d, out := newTestDashboard(80, 24, "go/gin")
	for _, e := range events() {
		d.Event(e)
	}
	last := events()[7]
	bad := archive.Trial{Status: archive.Complete, Findings: []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}, {Name: finding.Errors, Validity: finding.Suspect}}}
	d.Event(runner.Event{Kind: runner.TrialFinished, Trial: last.Trial, Cell: last.Cell, Outcome: &bad, Done: 1, Total: 8})
	wants(t, strings.Join(screen(t, out.String()), "\n"), "no usable second: steal\n", "1/8 trials")

	dead := archive.Trial{Status: archive.Failed, Error: i18n.Verbatim("subject go/gin died: exit status 7\nfatal")}
	d.Event(runner.Event{Kind: runner.TrialFinished, Trial: last.Trial, Cell: last.Cell, Outcome: &dead, Done: 2, Total: 8})
	wants(t, strings.Join(screen(t, out.String()), "\n"), "go/gin  failed", "trial 1 failed: subject go/gin died: exit status 7")

	d.Event(runner.Event{Kind: runner.Finished, Time: time.Unix(90, 0), Done: 2, Total: 8})
	d.Close()
	if got := screen(t, out.String()); strings.Join(got, "\n") != "2 of 8 trials in 1m30s\n" {
		t.Errorf("left on the screen: %q", got)
	}
}

func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// In Chinese, letters take two columns, and the display fits all the same.
func TestDashboardInChinese(t *testing.T) {
	zh, err := report.TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{40, 60, 80, 200} {
		d, out := newTestDashboard(columns, 24, "go/nethttp", "go/gin")
		d.t = zh
		last := events()[7]
		bad := archive.Trial{Status: archive.Complete, Findings: []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}}}
		for _, e := range append(events(), runner.Event{Kind: runner.TrialFinished, Trial: last.Trial, Cell: last.Cell, Outcome: &bad, Done: 1, Total: 8}) {
			e.Total = 8
			d.Event(e)
			for _, row := range screen(t, out.String()) {
				if present.Width(row) >= columns {
					t.Errorf("%d columns, %s: %q does not fit", columns, e.Kind, row)
				}
			}
		}
		wants(t, out.String(), "正在测量", "没有可用的秒", "当前")
		if text := strings.Join(screen(t, out.String()), "\n"); strings.Contains(text, "trials") || strings.Contains(text, "block") {
			t.Errorf("English is left:\n%s", text)
		}
	}
}
