package live

import (
	"fmt"
	"io"
	"strings"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/dyno/runner"
)

// Dashboard redraws a few lines on a terminal: how far the run is, what runs
// now, and a line per subject with what is known so far.
type Dashboard struct {
	w        io.Writer
	t        report.Texts
	size     func() (columns, height int)
	subjects []string
	rows     map[string]*row
	drawn    int    // lines on the screen that belong to it
	phase    string // key of its text
	done     int
	total    int
	left     time.Duration
	now      string // the trial that runs
	running  string // its subject
	active   string // the subject that something happened to last
	began    time.Time
	problems []string
	goals    []string // how far a run that goes on block by block is
}

// row is what is known about a subject.
type row struct {
	state  string // shown while there are no figures
	trials int
	last   figures
}

// measuring is the phase in which there are figures.
const measuring = "live.measuring"

// NewDashboard draws to w, a terminal, what becomes of the runner's plan.
func NewDashboard(w io.Writer, t report.Texts, r *runner.Runner) *Dashboard {
	d := &Dashboard{w: w, t: t, size: terminalSize, rows: make(map[string]*row), total: len(r.Plan.Trials), left: r.Plan.Estimate}
	if most := r.Plan.Ahead.Most; most > 0 {
		d.left = r.Plan.Ahead.After(most)
	}
	for _, s := range r.Study.Subjects {
		d.subjects = append(d.subjects, s.Name)
		d.rows[s.Name] = &row{state: t.Text("live.waiting")}
	}
	return d
}

func (d *Dashboard) Event(e runner.Event) {
	d.done, d.total = e.Done, e.Total
	if e.Remaining > 0 {
		d.left = e.Remaining
	}
	if e.Cell != nil {
		d.active = e.Cell.Subject
	} else if e.Subject != "" {
		d.active = e.Subject
	}
	switch e.Kind {
	case runner.Serving:
		d.now = d.t.Say(e.Line)
	case runner.Busy:
		d.problems = append(d.problems, d.t.Say(e.Line))
	case runner.Building:
		d.phase, d.rows[e.Subject].state = "live.building", d.t.Text("live.building")
	case runner.BuildLine:
		d.rows[e.Subject].state = d.t.Text("live.build", "line", e.Line)
	case runner.Built:
		d.rows[e.Subject].state = strings.TrimSpace(d.t.Text("live.built", "how", d.t.Say(e.Line)))
	case runner.Checking:
		d.phase, d.rows[e.Subject].state = "live.checking", d.t.Text("live.check")
	case runner.Checked:
		d.rows[e.Subject].state = d.t.Text("live.checked")
	case runner.Begun:
		d.phase, d.began = measuring, e.Time
	case runner.TrialStarted:
		d.running = e.Cell.Subject
		d.now = d.t.Text("live.trial", "block", e.Trial.Block+1, "subject", e.Cell.Subject, "load", e.Cell.Load)
	case runner.Repeating:
		d.problems = append(d.problems, d.t.Text("live.repeated", "subject", e.Cell.Subject, "block", e.Trial.Block+1, "why", why(d.t, e.Outcome)))
	case runner.Assessed:
		d.goals = progressLines(d.t, &e)
	case runner.Finished:
		d.finished(e)
		return
	case runner.WindowDone:
		d.showWindow(e)
	case runner.TrialFinished:
		d.finish(e)
	}
	d.draw()
}

func (d *Dashboard) showWindow(e runner.Event) {
	r := d.rows[e.Cell.Subject]
	f := figuresOf([]archive.Window{*e.Window})
	if !e.Window.Client.Warmup() {
		f.cpuPerRequest = r.last.cpuPerRequest
		r.last = f
	}
}

func (d *Dashboard) finish(e runner.Event) {
	r := d.rows[e.Cell.Subject]
	r.trials++
	if e.Outcome.Status == archive.Complete {
		r.last, r.state = figuresOf(e.Outcome.Windows), d.t.Text("live.unusable", "why", reasons(d.t, e.Outcome))
		return
	}
	r.last, r.state = figures{}, status(d.t, e.Outcome)
	problem, _, _ := strings.Cut(d.t.Say(e.Outcome.Error), "\n")
	d.problems = append(d.problems, d.t.Text("live.failed", "trial", e.Trial.Index+1, "status", status(d.t, e.Outcome), "problem", problem))
}

// finished takes the display away, as the result follows, and leaves one line.
func (d *Dashboard) finished(e runner.Event) {
	d.erase()
	fmt.Fprintf(d.w, "%s\n\n", d.t.Text("live.ended", "done", e.Done, "total", e.Total, "time", present.Roughly(e.Time.Sub(d.began))))
}

// Close ends a display that [dashboard.finished] has not: the run failed before
// its first trial, and what it had come to stays on the screen.
func (d *Dashboard) Close() {}
