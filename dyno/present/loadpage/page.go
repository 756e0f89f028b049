package loadpage

import (
	"cmp"
	"path/filepath"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/export"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/present/loadtext"
	"dyno.example/dyno/report"
)

// Load is what a page is about.
type Load struct {
	*export.Load
	Checks  []export.Check // what had to hold, and whether it did
	Command []string       // without secrets
	Machine machine.Fingerprint
	Version string // of dyno
	// Evidence is the file of what is known of single requests; empty if nothing is. KeptIn is the
	// folder of what was kept beside it.
	Evidence string
	KeptIn   string
	Kept     []archive.Kept
}

// page is a report before it is written in a form.
type page struct {
	report.Texts
	Title    string
	Describe string // what was sent
	Summary  string
	Held     string // how many of the checks hold; empty if there is none
	Pass     bool   // all of them do
	Level    string // a validity, or "accepted"
	Word     string // for it
	Means    string // what it means
	Sections []section
}

// section is a part of a page. It has whatever there is of tables, charts, findings,
// failed requests and facts.
type section struct {
	ID, Title string
	Lead      string
	Head      []string
	Rows      []row
	Note      string // beneath the table
	Charts    []curve.Chart
	Findings  []remark
	Failed    []failed
	Facts     [][2]string
	Folded    bool // on a page, until somebody opens it
}

// row begins with a name. Its class is that of an outcome, or empty.
type row struct {
	Class string
	Texts []string
}

// remark is a finding.
type remark struct{ Name, Level, Word, Title, Detail, Why string }

// failed is a request that failed, as it went over the wire.
type failed struct{ Title, Sent, Received string }

func newPage(l *Load, t report.Texts) *page {
	p := &page{Texts: t, Title: t.Text("loadpage.title", "target", target(l.Spec)), Describe: t.Say(loadtext.Describe(l.Spec)), Summary: summary(l.Result, t)}
	p.judge(l.Checks)
	p.Level = l.Result.Level()
	p.Word, p.Means = t.Text("validity."+p.Level), t.Text("loadpage.means."+p.Level)
	for _, s := range []section{
		checks(l.Checks, t), statuses(l.Result, t), errorKinds(l.Result, t), requests(l.Result, t),
		clocks(l.Result, t), stages(l.Result, t), p.seconds(l), p.findings(l.Result), p.failures(l.Result), kept(l, t), counts(l.Result, t), conditions(l, t),
	} {
		if len(s.Rows)+len(s.Charts)+len(s.Findings)+len(s.Failed)+len(s.Facts) > 0 || s.Lead != "" {
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

// target is the URL of a load of one request, and the origin of one of several.
func target(s *load.Spec) string {
	if len(s.Requests) == 1 {
		return export.Target(s)
	}
	return export.Origin(s)
}

// judge says how many of the checks hold.
func (p *page) judge(checks []export.Check) {
	n := 0
	for _, c := range checks {
		if c.Result == export.Passed {
			n++
		}
	}
	if p.Pass = n == len(checks); len(checks) > 0 {
		p.Held = p.Text("loadpage.held", "n", n, "of", len(checks))
	}
}

// summary says in a sentence how much was asked, and how much came back.
func summary(r *load.Result, t report.Texts) string {
	all := &r.All
	if all.Length <= 0 {
		return t.Text("loadpage.nothing")
	}
	return t.Text("loadpage.summary", "all", t.Count("load."+cmp.Or(r.Unit, "requests"), all.Ended()), "good", number(all.Right()),
		"failed", number(all.Errors.Total()), "length", present.Duration(float64(all.Length)))
}

// untrusted says that times are of windows that don't count, and what has them count;
// nothing if they do.
func untrusted(r *load.Result, t report.Texts) string {
	if _, trusted := r.Shown(); trusted {
		return ""
	}
	_, measured, reasons := r.LeftOut()
	text := t.Text("loadpage.untrusted", "measured", measured, "reasons", strings.Join(finding.Words(reasons), t.Text("list.comma")))
	if accept := r.Acceptable(); len(accept) > 0 {
		text += " " + t.Text("loadpage.untrusted.accept", "accept", strings.Join(finding.Words(accept), ","))
	}
	return text
}

// findings say what the figures are worth, and why.
func (p *page) findings(r *load.Result) section {
	s := section{ID: "validity", Title: p.Text("validity.title"), Lead: p.Means}
	for i := range r.Findings {
		f := &r.Findings[i]
		out := remark{Name: string(f.Name), Level: string(f.Validity), Title: p.Text("finding." + string(f.Name)), Why: p.Text("finding." + string(f.Name) + ".why"), Detail: p.Say(f.Detail)}
		switch {
		case f.Validity == finding.Valid || f.Validity == "":
			out.Level = "note"
		case f.Accepted:
			out.Level = "accepted"
		}
		out.Word = p.Text("validity." + out.Level)
		s.Findings = append(s.Findings, out)
	}
	return s
}

// failures are the failed requests that were kept whole.
func (p *page) failures(r *load.Result) section {
	s := section{ID: "failures", Title: p.Text("failures.title")}
	for _, f := range r.Failures {
		title := kindText(p.Texts, f.Kind)
		for _, more := range []string{f.Request, p.Say(f.Why)} {
			if more != "" {
				title += " · " + more
			}
		}
		s.Failed = append(s.Failed, failed{title, f.Sent, f.Received})
	}
	if s.Failed != nil {
		s.Lead = p.Text("failures.lead")
	}
	return s
}

// kept are the files that are there beside the page, and those that are missing.
func kept(l *Load, t report.Texts) section {
	s := section{ID: "kept", Title: t.Text("loadpage.kept")}
	if l.Evidence == "" {
		return s
	}
	s.Facts = append(s.Facts, [2]string{t.Text("loadpage.evidence"), l.Evidence})
	for i := range l.Kept {
		k := &l.Kept[i]
		text := t.Text("loadpage.not-kept", "why", k.Missing)
		if k.File != "" {
			text = filepath.Join(l.KeptIn, k.File)
		}
		s.Facts = append(s.Facts, [2]string{string(k.Kind), text})
	}
	return s
}

// conditions are how it was measured, and where.
func conditions(l *Load, t report.Texts) section {
	r := l.Result
	cost := present.NoFigure
	if r.Total.Completed > 0 {
		cost = present.Exact(r.CPUPerRequest())
	}
	s := section{ID: "conditions", Title: t.Text("loadpage.conditions")}
	add := func(key, value string) {
		if value != "" {
			s.Facts = append(s.Facts, [2]string{t.Text(key), value})
		}
	}
	add("loadpage.command", shell.Join(l.Command))
	if !l.Started.IsZero() {
		add("fact.date", l.Started.Format("2006-01-02 15:04:05 -07:00"))
	}
	add("loadpage.generator", t.Text("load.generator.text", "engine", r.Engine, "cost", cost, "stall", present.Duration(float64(r.All.Stall))))
	if r.Calibration != nil {
		add("method.calibration", t.Say(loadtext.Calibration(r.Calibration)))
	}
	add("method.dyno", l.Version)
	s.Facts = append(s.Facts, t.Machine(l.Machine)...)
	return s
}

// kindText is what a kind of errors is called.
func kindText(t report.Texts, kind string) string {
	if key := "failure." + kind; t.Text(key) != key {
		return t.Text(key)
	}
	return t.Text("load.kind." + kind)
}

// share of a whole.
func share(n, of uint64) string {
	if of == 0 {
		return present.NoFigure
	}
	return present.Share(float64(n) / float64(of))
}

// number of things, in groups of three digits.
func number(n uint64) string { return present.Number(float64(n)) }

// responses are the complete responses of a window.
func responses(w *measure.Window) uint64 {
	n := uint64(0)
	for _, count := range w.Statuses {
		n += count
	}
	return n
}
