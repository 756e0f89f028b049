package loadcmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dyno/cmd/dyno/internal/cli"
	"dyno/lab/export"
	"dyno/lab/load"
	"dyno/lab/load/measure"
	"dyno/lab/objective"
	"dyno/lab/present"
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

// window is given every finished window.
func (list thresholds) window(w *measure.Window) {
	for _, o := range list {
		if o.Windows > 0 {
			o.tally.Add(w)
		}
	}
}

// judge judges a result by all thresholds. A load that was interrupted is judged
// by none.
func (list thresholds) judge(r *load.Result) []export.Threshold {
	var judged []export.Threshold
	for _, o := range list {
		j := export.Threshold{Expression: o.String(), Verdict: export.NotEvaluated}
		if !r.Interrupted {
			outcome := o.tally.JudgeResult(r)
			j.Verdict, j.Measured = outcome.Verdict().String(), outcome.Text
		}
		judged = append(judged, j)
	}
	return judged
}

// failedThresholds is the error of a load that does not meet its thresholds, or is not
// known to.
func failedThresholds(judged []export.Threshold) error {
	var failed, unknown []string
	for _, j := range judged {
		switch text := j.Expression + " (" + j.Measured + ")"; {
		case j.Verdict == objective.Unknown.String():
			unknown = append(unknown, text)
		case j.Failed():
			failed = append(failed, text)
		}
	}
	var errs []error
	if failed != nil {
		errs = append(errs, fmt.Errorf("--fail: %d of %d thresholds not met: %s", len(failed), len(judged), strings.Join(failed, "; ")))
	}
	if unknown != nil {
		errs = append(errs, fmt.Errorf("--fail: %d of %d thresholds undecided: %s", len(unknown), len(judged), strings.Join(unknown, "; ")))
	}
	return errors.Join(errs...)
}

// suite is the load as a CI system sees it: a check that enough was answered,
// and one for each threshold.
func (e *endedLoad) suite() *export.Suite {
	errors := export.Check{Name: "errors <= " + present.Share(e.maxErrors) + " (--max-errors)", Result: export.Passed}
	switch {
	case e.unreachable != nil:
		errors.Result, errors.Message = export.Broken, e.unreachable.Error()
	case e.Result.Interrupted:
		errors.Result, errors.Message = export.Skipped, "the load was interrupted"
	default:
		t := &e.Result.Total
		errors.Message = fmt.Sprintf("%d of %d failed", t.Errors.Total(), t.Errors.Total()+t.Completed+t.Drained)
		if err := judgeLoad(e.Result, e.maxErrors); err != nil {
			errors.Result, errors.Message = export.Failed, err.Error()
		}
	}
	s := &export.Suite{
		Tool: "dyno load", Name: e.Spec.Requests[0].Method + " " + export.Target(e.Spec), Started: e.Started, Took: e.Result.Total.Length,
		Properties: e.properties(), Checks: []export.Check{errors},
	}
	for _, j := range e.Thresholds {
		s.Checks = append(s.Checks, e.check(j))
	}
	return s
}

func (e *endedLoad) check(j export.Threshold) export.Check {
	c := export.Check{Name: j.Expression, Message: j.Measured}
	switch {
	case e.unreachable != nil:
		c.Result, c.Message = export.Broken, e.unreachable.Error()
	case j.Verdict == export.NotEvaluated:
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
	s, p := e.Spec, &e.Spec.Profile
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
	list = append(list, [2]string{"engine", e.Result.Engine}, [2]string{"validity", string(e.Result.Validity)}, [2]string{"dyno", cli.Version()})
	for _, f := range e.Result.Findings {
		list = append(list, [2]string{"finding." + string(f.Name), f.Detail})
	}
	return list
}
