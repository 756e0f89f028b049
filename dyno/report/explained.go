package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/explain"
	"dyno.example/internal/i18n"
)

// explanation is one in words: of a cell, why its slow requests were slow.
type explanation struct {
	Title        string
	Answer       string // in a sentence
	Tail         string // what was slow, and what that rests on
	Causes       []explainedCause
	Rest         string // share that is unexplained
	Budget       []explainedPart
	ServerTiming []explainedPart // what the service itself told of its time
	Profiles     string          // where they are; empty if there are none
	Notes        []string
	By           explain.Source
	// Picture is nil where no single request was traced.
	Picture *picture
}

// explainedCause is a row of the causes.
type explainedCause struct {
	Name, Share, Interval, Lift, Requests string
	Means, Do                             string
	Evidence                              []string
}

// explainedPart is a stage of the budget.
type explainedPart struct{ Stage, Ordinary, Slow, More string }

// explanations are those of an analysis that rest on something.
func explanations(a *analysis.Analysis, c language) (list []explanation) {
	for i := range a.Explained {
		if a.Explained[i].Source != explain.Nothing {
			list = append(list, newExplained(&a.Explained[i], c))
		}
	}
	return list
}

// CountKey is the text that heads what a cause's Requests are.
func (x explanation) CountKey() string {
	if x.By == explain.Seconds {
		return "explained.seconds"
	}
	return "explained.requests"
}

func newExplained(e *explain.Explanation, c language) explanation {
	x := explanation{Title: explainedTitle(e), By: e.Source, Tail: c.say(explainedTail(e)), Answer: c.say(explainedAnswer(e)), Rest: percentOf(e.Unexplained), Picture: newPicture(e, c)}
	for i := range e.Causes {
		x.Causes = append(x.Causes, newExplainedCause(&e.Causes[i], c))
	}
	x.Budget = explainedBudget(e.Budget, c)
	for _, t := range e.ServerTiming {
		x.ServerTiming = append(x.ServerTiming, partOf(strings.TrimSpace(t.Name+" "+t.Text), t.Ordinary, t.Slow))
	}
	x.Profiles = explainedProfiles(e.Profiles, c)
	for _, note := range explainedNotes(e) {
		x.Notes = append(x.Notes, c.say(note))
	}
	return x
}

// mostProfiles are named.
const mostProfiles = 4

// explainedProfiles says where profiles of slow requests are.
func explainedProfiles(files []string, c language) string {
	if len(files) == 0 {
		return ""
	}
	named := strings.Join(files[:min(len(files), mostProfiles)], c.text("list.comma"))
	if more := len(files) - mostProfiles; more > 0 {
		named = c.text("explained.profiles.more", "files", named, "n", more)
	}
	return c.text("explained.profiles", "files", named)
}

func partOf(name string, ordinary, slow float64) explainedPart {
	return explainedPart{name, quantity("µs", ordinary/1e3), quantity("µs", slow/1e3), signedMicros(slow - ordinary)}
}

// littleOf is the share of a slow request's time below which stages are shown as one.
const littleOf = 0.001

// explainedBudget is the budget as a table: a row for each stage that takes a visible part, one for
// the others, and one for the whole, as the stages add up to the response time.
func explainedBudget(parts []explain.Part, c language) (rows []explainedPart) {
	row := func(name string, p explain.Part) explainedPart { return partOf(name, p.Ordinary, p.Slow) }
	var all, others explain.Part
	for _, p := range parts {
		all.Ordinary, all.Slow = all.Ordinary+p.Ordinary, all.Slow+p.Slow
	}
	for _, p := range parts {
		if max(p.Ordinary, p.Slow) < littleOf*all.Slow {
			others.Ordinary, others.Slow = others.Ordinary+p.Ordinary, others.Slow+p.Slow
			continue
		}
		rows = append(rows, row(string(p.Stage), p))
	}
	if others != (explain.Part{}) {
		rows = append(rows, row(c.text("explained.others"), others))
	}
	if len(rows) > 1 {
		rows = append(rows, row(c.text("explained.all"), all))
	}
	return rows
}

// explainedTitle is the cell: "hello · saturate, connections=64".
func explainedTitle(e *explain.Explanation) string {
	return strings.Trim(e.Subject+" · "+e.Group(), " ·")
}

func explainedTail(e *explain.Explanation) i18n.Message {
	ordinary, threshold := quantity("µs", e.Tail.Ordinary/1e3), quantity("µs", e.Tail.Threshold/1e3)
	slow := fmt.Sprintf("%.3g %%", 100-e.Tail.Percentile)
	switch e.Source {
	case explain.Requests:
		return i18n.New("report.explained-by-requests", "The slowest %s took %s or more, half of all %s or less. This rests on %d slow requests and %d ordinary ones.",
			slow, threshold, ordinary, e.Sampled.Slow, e.Sampled.Ordinary)
	case explain.Seconds:
		return i18n.New("report.explained-by-seconds", "The slowest %s took %s or more, half of all %s or less. This rests on what was recorded in each of %d seconds, which is weaker.",
			slow, threshold, ordinary, e.Sampled.Seconds)
	}
	return i18n.New("report.explained-by-nothing", "There is too little to say anything: %d seconds count.", e.Sampled.Seconds)
}

func explainedAnswer(e *explain.Explanation) i18n.Message {
	if len(e.Causes) == 0 {
		return i18n.New("report.no-cause-found", "no cause found")
	}
	var parts []i18n.Message
	for i := range e.Causes {
		parts = append(parts, i18n.Format("%s (%s)", string(e.Causes[i].Name), percentOf(e.Causes[i].Share)))
	}
	return i18n.Enumerate(parts...)
}

// explainedNotes are what lowers the confidence, with what the intervals are over.
func explainedNotes(e *explain.Explanation) []i18n.Message {
	notes := slices.Clone(e.Notes)
	if len(e.Causes) > 0 && e.Sampled.Groups > 0 {
		units := i18n.New("report.over-stretches", "intervals are over %d stretches of time: how much another start would differ is not in them", e.Sampled.Groups)
		if e.Sampled.Units == explain.Restarts {
			units = i18n.New("report.over-restarts", "intervals are over %d restarts", e.Sampled.Groups)
		}
		notes = append(notes, units)
	}
	if c := e.ProbeCost; c != nil && c.CPU != nil {
		notes = append(notes, i18n.New("report.probe-cost", "with the probes on, a request cost the server %s more CPU time (95 %%: %s to %s)", signedPercent(c.CPU.Ratio), signedPercent(c.CPU.Low), signedPercent(c.CPU.High)))
	}
	if len(e.Causes) > 0 {
		notes = append(notes, i18n.New("report.association", "this is association: that the slow requests go with the cause, a run without it shows (dyno explain RUN --test CAUSE)"))
	}
	return notes
}

func newExplainedCause(cause *explain.Cause, c language) explainedCause {
	x := explainedCause{
		Name: string(cause.Name), Share: percentOf(cause.Share), Interval: "–", Lift: liftText(cause.Lift), Requests: fmt.Sprint(cause.Requests),
	}
	if cause.Interval.Level > 0 {
		x.Interval = fmt.Sprintf("%.0f–%.0f %%", 100*cause.Interval.Low, 100*cause.Interval.High)
	}
	meaning := explain.MeaningOf(cause.Name)
	x.Means, x.Do = c.say(meaning.Means), c.say(meaning.Do)
	for _, m := range cause.Evidence {
		x.Evidence = append(x.Evidence, c.say(m))
	}
	if len(cause.Confounded) > 0 {
		var names []i18n.Message
		for _, name := range cause.Confounded {
			names = append(names, i18n.Verbatim(string(name)))
		}
		x.Evidence = append(x.Evidence, c.say(i18n.New("report.confounded", "can't be told apart here from: %s", i18n.Enumerate(names...))))
	}
	return x
}

func percentOf(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func signedPercent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*ratio) }

func signedMicros(ns float64) string {
	if ns < 0 {
		return "−" + quantity("µs", -ns/1e3)
	}
	return "+" + quantity("µs", ns/1e3)
}

// liftText is a lift of two digits; beyond a hundred it is only that.
func liftText(lift float64) string {
	switch {
	case lift > 100:
		return "> 100×"
	case lift >= 10:
		return fmt.Sprintf("%.0f×", lift)
	}
	return fmt.Sprintf("%.1f×", lift)
}
