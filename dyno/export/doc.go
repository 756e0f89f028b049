// Package export writes what a load came to in the forms that other people's
// tools read: HdrHistogram logs, CSV, benchstat's benchmark lines, JUnit and
// JSON Lines, one JSON object, and, while the load runs, Prometheus remote write and OTLP.
//
// All forms tell the same truth about requests that were given up: a figure of
// which only a lower bound is known is never written as if it were known.
package export

import (
	"iter"
	"net/url"
	"slices"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// Load is a load that has ended, and what is known about it. Writers only read it.
type Load struct {
	Spec    *load.Spec
	Result  *load.Result
	Started time.Time // when the measured time began, on the wall clock

	// Seconds are the figures of each window that is over, in their order. They may be
	// missing where the windows still have their histograms.
	Seconds    []SecondFigures
	Thresholds []Threshold // what had to hold
}

// counted yields what figures are of: the windows that are measured and not invalid, with
// what became of the arrivals that were due in them and of no others; and, without a
// length, what became of them in other windows.
func (l *Load) counted() iter.Seq[*measure.Window] {
	return func(yield func(*measure.Window) bool) {
		for i := range l.Result.Windows {
			w := &l.Result.Windows[i]
			itself := !w.Warmup() && w.Validity() != finding.Invalid
			counted := w.Counted(itself)
			if (itself || counted.Booked() > 0) && !yield(&counted) {
				return
			}
		}
	}
}

// at returns an instant of CLOCK_MONOTONIC on the wall clock.
func (l *Load) at(mono int64) time.Time {
	return l.Started.Add(time.Duration(mono - l.Result.Start))
}

// Target is the URL that was loaded, without what may be secret in it: user,
// password and query.
func Target(s *load.Spec) string {
	u, err := url.Parse(s.Target)
	if err != nil {
		return ""
	}
	path := "/"
	if len(s.Requests) > 0 {
		path = withoutQuery(s.Requests[0].Path)
	}
	return u.Scheme + "://" + u.Host + path
}

// Origin is the scheme and address of what was loaded, without a user and password.
func Origin(s *load.Spec) string {
	u, err := url.Parse(s.Target)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// withoutQuery is a request's path as outputs tell it: a query may hold secrets.
func withoutQuery(path string) string {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return "/"
	}
	return u.EscapedPath()
}

// percentile is one that the outputs tell.
type percentile struct {
	name string
	at   float64
}

var percentiles = []percentile{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}}

// Figure is one of a clock's, in ns. If it is not Known, it is a lower bound.
type Figure struct {
	Name  string // "mean", "p50" … "p99.99", "max"
	NS    float64
	Known bool
	// Absent says that there is no such figure: a percentile that none of so few
	// requests lies beyond.
	Absent bool
	// Failed says that it is among the requests that failed: no time is as bad.
	Failed bool
}

// Figures are those of a clock that the outputs tell, in order; nil if nothing
// was timed. All names are there, also those of figures that are absent. Requests that
// were given up are slower than all others, by an unknown time, and those that failed
// slower still: with any of the former, or many of the latter, mean and maximum are lower
// bounds.
func Figures(w *measure.Window, clock measure.Clock) []Figure {
	h := w.Hist[clock]
	if w.Timed(clock) == 0 {
		return nil
	}
	complete := w.GivenUp(clock) == 0 && !w.Failing(clock)
	figures := []Figure{{Name: "mean", NS: h.Mean(), Known: complete}}
	for _, p := range percentiles {
		ns, known := w.Quantile(clock, p.at)
		f := Figure{Name: p.name, NS: float64(ns), Known: known, Failed: w.AmongFailed(clock, p.at)}
		if (known || f.Failed) && !w.Tells(clock, p.at) {
			f = Figure{Name: p.name, Absent: true}
		}
		figures = append(figures, f)
	}
	return append(figures, Figure{Name: "max", NS: float64(w.Longest(clock)), Known: complete})
}

// FigureNames are the names of all figures of a clock, in order.
func FigureNames() []string {
	names := []string{"mean"}
	for _, p := range percentiles {
		names = append(names, p.name)
	}
	return slices.Concat(names, []string{"max"})
}
