package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"dyno/lab/export"
	"dyno/lab/load"
	"dyno/lab/objective"
)

// thresholds are the expressions of --fail: what must hold of a load, or the
// exit status is 1.
type thresholds []threshold

// threshold is one of them, with the windows so far: a soak keeps none.
type threshold struct {
	*objective.Objective
	tally *objective.Tally
}

// parseThresholds reads the values of --fail.
func parseThresholds(expressions []string) (thresholds, error) {
	var list thresholds
	for _, expression := range expressions {
		o, err := objective.Parse(expression)
		if err != nil {
			return nil, fmt.Errorf("--fail %w", err)
		}
		list = append(list, threshold{o, o.NewTally()})
	}
	return list, nil
}

// judgedThreshold is a threshold and what became of it.
type judgedThreshold struct {
	Expression string `json:"expression"`
	// Verdict is "holds", "fails", "unknown" (which counts as a failure), or
	// "not evaluated" if the load was interrupted.
	Verdict  string `json:"verdict"`
	Measured string `json:"measured,omitempty"`
}

const notEvaluated = "not evaluated"

// window is given every finished window.
func (list thresholds) window(w *load.Window) {
	for _, o := range list {
		if o.Windows > 0 {
			o.tally.Add(w)
		}
	}
}

// judge judges a result by all thresholds. A load that was interrupted is judged
// by none.
func (list thresholds) judge(r *load.Result) []judgedThreshold {
	var judged []judgedThreshold
	for _, o := range list {
		j := judgedThreshold{Expression: o.String(), Verdict: notEvaluated}
		if !r.Interrupted {
			outcome := o.tally.JudgeResult(r)
			j.Verdict, j.Measured = outcome.Verdict().String(), outcome.Text
		}
		judged = append(judged, j)
	}
	return judged
}

func (j *judgedThreshold) failed() bool {
	return j.Verdict == objective.Fails.String() || j.Verdict == objective.Unknown.String()
}

// failedThresholds is the error of a load that does not meet its thresholds.
func failedThresholds(judged []judgedThreshold) error {
	var failed []string
	for _, j := range judged {
		if j.failed() {
			failed = append(failed, j.Expression+" ("+j.Measured+")")
		}
	}
	if failed == nil {
		return nil
	}
	return fmt.Errorf("--fail: %d of %d thresholds not met: %s", len(failed), len(judged), strings.Join(failed, "; "))
}

// writeThresholds prints a line for each.
func writeThresholds(w io.Writer, judged []judgedThreshold) {
	if len(judged) == 0 {
		return
	}
	fmt.Fprintln(w, "\n  thresholds")
	for _, j := range judged {
		word, measured := "pass", ": "+j.Measured
		switch j.Verdict {
		case objective.Fails.String():
			word = "FAIL"
		case objective.Unknown.String():
			word, measured = "FAIL", ": can't be decided: "+j.Measured
		case notEvaluated:
			word, measured = "-", ": not evaluated, as the load was interrupted"
		}
		fmt.Fprintf(w, "    %-4s %s%s\n", word, j.Expression, measured)
	}
}

// suite is the load as a CI system sees it: a check that enough was answered,
// and one for each threshold.
func (e *endedLoad) suite() *export.Suite {
	errors := export.Check{Name: "errors <= " + formatShare(e.maxErrors) + " (--max-errors)", Result: export.Passed}
	switch {
	case e.unreachable != nil:
		errors.Result, errors.Message = export.Broken, e.unreachable.Error()
	case e.result.Interrupted:
		errors.Result, errors.Message = export.Skipped, "the load was interrupted"
	default:
		t := &e.result.Total
		errors.Message = fmt.Sprintf("%d of %d failed", t.Errors.Total(), t.Errors.Total()+t.Completed+t.Drained)
		if err := judgeLoad(e.result, e.maxErrors); err != nil {
			errors.Result, errors.Message = export.Failed, err.Error()
		}
	}
	s := &export.Suite{
		Tool: "dyno load", Name: e.spec.Requests[0].Method + " " + export.Target(e.spec), Started: e.started, Took: e.result.Total.Length,
		Properties: e.properties(), Checks: []export.Check{errors},
	}
	for _, j := range e.thresholds {
		s.Checks = append(s.Checks, e.check(j))
	}
	return s
}

func (e *endedLoad) check(j judgedThreshold) export.Check {
	c := export.Check{Name: j.Expression, Message: j.Measured}
	switch {
	case e.unreachable != nil:
		c.Result, c.Message = export.Broken, e.unreachable.Error()
	case j.Verdict == notEvaluated:
		c.Result, c.Message = export.Skipped, "not evaluated, as the load was interrupted"
	case j.Verdict == objective.Holds.String():
		c.Result = export.Passed
	case j.Verdict == objective.Fails.String():
		c.Result = export.Failed
	default:
		c.Result = export.Unknown
	}
	return c
}

// properties are the conditions under which the checks were made.
func (e *endedLoad) properties() [][2]string {
	s, p := e.spec, &e.spec.Profile
	list := [][2]string{
		{"target", export.Target(s)}, {"method", s.Requests[0].Method}, {"seed", strconv.FormatUint(s.Seed, 10)},
		{"mode", string(p.Mode)}, {"connections", strconv.Itoa(p.Connections)},
	}
	if p.Rate > 0 {
		list = append(list, [2]string{"rate", strconv.FormatFloat(p.Rate, 'f', -1, 64) + "/s"}, [2]string{"arrivals", string(p.Arrivals)})
	}
	if len(p.Phases) > 0 {
		list = append(list, [2]string{"phases", p.Rhythm()}, [2]string{"arrivals", string(p.Arrivals)})
	}
	for _, d := range []struct {
		name string
		time.Duration
	}{{"duration", s.Duration}, {"warmup", s.Warmup}, {"timeout", s.Timeout}} {
		if d.Duration > 0 {
			list = append(list, [2]string{d.name, d.String()})
		}
	}
	list = append(list, [2]string{"engine", e.result.Engine}, [2]string{"validity", string(e.result.Validity)}, [2]string{"dyno", version()})
	for _, f := range e.result.Findings {
		list = append(list, [2]string{"finding." + f.Name, f.Detail})
	}
	return list
}
