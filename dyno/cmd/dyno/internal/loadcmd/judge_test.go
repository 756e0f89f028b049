package loadcmd

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// TestExitStatus: what a script learns from it. A request that nobody responded to is no
// success.
func TestExitStatus(t *testing.T) {
	window := func(completed, status, unfinished uint64) measure.Window {
		return measure.Window{Length: time.Second, Sent: completed + status + unfinished, Completed: completed, Unfinished: unfinished, Errors: measure.Errors{Status: status}}
	}
	invalid := window(100, 0, 0)
	invalid.Findings = []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}}
	failing := window(0, 100, 0)
	failing.Findings = invalid.Findings
	unsent := window(960, 0, 40)
	unsent.Sent, unsent.Unsent = 960, 40
	for _, c := range []struct {
		name   string
		window measure.Window
		says   string // of the error; "" if it ends with 0
	}{
		{"all well", window(1000, 0, 0), ""},
		{"one in a hundred fails", window(990, 10, 0), ""},
		{"two do", window(980, 20, 0), "2.00 % of the requests failed, more than"},
		{"four have no response", window(960, 0, 40), "4.00 % of the requests failed or had no response by the end, more than"},
		{"one has none", window(1000, 0, 1), ""},
		{"four were never sent", unsent, "4.00 % of the requests failed or had no response by the end"},
		{"together they are too many", window(980, 10, 10), "2.00 % of the requests failed or had no response by the end"},
		{"nothing responds", window(0, 0, 10), "nothing responded"},
		{"nothing can be used", invalid, "none of the 1 windows is valid (steal); --accept steal has them count"},
		{"nor did anything succeed", failing, "100.00 % of the requests failed, more than --max-errors 1 % allows (status 404)\nno figure can be trusted: none of the 1 windows"},
	} {
		r := &load.Result{Windows: []measure.Window{c.window}, All: c.window, FirstErrors: map[string]i18n.Message{"status": i18n.Verbatim("status 404")}}
		if c.window.Findings == nil {
			r.Total = c.window
		}
		err := judgeLoad(r, 0.01)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
