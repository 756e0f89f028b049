package loadcmd

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/export"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/objective"
	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
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
			return nil, i18n.Errorf("loadcmd.fail", "--fail %w", err)
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
		j := export.Threshold{Expression: o.String(), Decision: export.NotEvaluated}
		if !r.Interrupted {
			outcome := o.tally.JudgeResult(r)
			j.Decision, j.Measured = outcome.Decision().String(), outcome.Text
		}
		judged = append(judged, j)
	}
	return judged
}

// failedThresholds is the error of a load that does not meet its thresholds, or is not
// known to.
func failedThresholds(judged []export.Threshold) error {
	var failed, unknown []i18n.Message
	for _, j := range judged {
		switch text := i18n.Join(j.Expression, " (", j.Measured, ")"); {
		case j.Decision == objective.Unknown.String():
			unknown = append(unknown, text)
		case j.Failed():
			failed = append(failed, text)
		}
	}
	var errs []error
	if failed != nil {
		errs = append(errs, i18n.Errorf("loadcmd.thresholds-failed", "--fail: %d of %d thresholds not met: %s", len(failed), len(judged), i18n.List("; ", failed...)))
	}
	if unknown != nil {
		errs = append(errs, i18n.Errorf("loadcmd.fail-thresholds-undecided", "--fail: %d of %d thresholds undecided: %s", len(unknown), len(judged), i18n.List("; ", unknown...)))
	}
	return errors.Join(errs...)
}

// suite is the load as a CI system sees it: what had to hold, and how each kind of
// request of a mix did.
func (e *endedLoad) suite() *export.Suite {
	return &export.Suite{
		Tool: "dyno load", Name: e.name().String(), Started: e.Started, Took: e.Result.All.Length,
		Properties: e.properties(), Checks: slices.Concat(e.checks(), e.requestChecks()),
	}
}

// name is what was loaded: in a mix, no kind of request represents the others.
func (e *endedLoad) name() i18n.Message {
	if n := len(e.Spec.Requests); n > 1 {
		return i18n.New("loadcmd.mix-kinds-requests", "mix of %d kinds of requests to %s", n, export.Origin(e.Spec))
	}
	return i18n.Join(e.Spec.Requests[0].Method, " ", export.Target(e.Spec))
}

// requestChecks has a check for each kind of request of a mix. One fails if too much
// failed of the load and of that kind: so it never fails where the load did not.
func (e *endedLoad) requestChecks() []export.Check {
	var list []export.Check
	failed := e.unreachable == nil && !e.Result.Interrupted && judgeLoad(e.Result, e.maxErrors) != nil
	for i := range e.Result.Requests {
		k := &e.Result.Requests[i]
		errs, all, shown := k.All.Errors.Total(), k.All.Ended(), k.Shown()
		c := export.Check{Of: "request", Name: k.Name, Result: export.Passed, Message: i18n.New("loadcmd.failed", "%d of %d failed", errs, all)}
		if all > 0 {
			c.Message = i18n.Join(c.Message, i18n.New("loadcmd.response-p50-p99", "; response p50 %s, p99 %s", present.Quantile(shown, 50), present.Quantile(shown, 99)))
		}
		switch {
		case e.Result.Interrupted:
			c.Result = export.Skipped
		case failed && float64(errs) > e.maxErrors*float64(all):
			c.Result = export.Failed
		}
		list = append(list, c)
	}
	return list
}

// checks are what had to hold: that enough requests got a response, and each threshold.
func (e *endedLoad) checks() []export.Check {
	errors := export.Check{Name: "errors <= " + present.Share(e.maxErrors) + " (--max-errors)", Result: export.Passed}
	switch {
	case e.unreachable != nil:
		errors.Result, errors.Message = export.Broken, i18n.From(e.unreachable)
	case e.Result.Interrupted:
		errors.Result, errors.Message = export.Skipped, i18n.New("objective.interrupted", "the load was interrupted")
	default:
		all := &e.Result.All
		errors.Message = i18n.New("loadcmd.failed", "%d of %d failed", all.Errors.Total(), all.Ended())
		if err := judgeLoad(e.Result, e.maxErrors); err != nil {
			errors.Result, errors.Message = export.Failed, i18n.From(err)
		}
	}
	list := []export.Check{errors}
	for _, j := range e.Thresholds {
		list = append(list, e.check(j))
	}
	return list
}

func (e *endedLoad) check(j export.Threshold) export.Check {
	c := export.Check{Name: j.Expression, Message: j.Measured}
	switch {
	case e.unreachable != nil:
		c.Result, c.Message = export.Broken, i18n.From(e.unreachable)
	case j.Decision == export.NotEvaluated:
		c.Result, c.Message = export.Skipped, i18n.New("loadcmd.not-evaluated", "not evaluated, as the load was interrupted")
	case j.Decision == objective.Holds.String():
		c.Result = export.Passed
	case j.Decision == objective.Fails.String():
		c.Result = export.Failed
	default:
		c.Result = export.Unknown
	}
	return c
}

// properties are the conditions under which the checks were made.
func (e *endedLoad) properties() [][2]string {
	s, p := e.Spec, &e.Spec.Profile
	list := [][2]string{{"target", export.Target(s)}, {"method", s.Requests[0].Method}}
	if len(s.Requests) > 1 {
		var names []string
		for i := range s.Requests {
			names = append(names, s.Requests[i].Name)
		}
		list = [][2]string{{"target", export.Origin(s)}, {"requests", strings.Join(names, ", ")}}
	}
	list = append(list, [][2]string{
		{"seed", strconv.FormatUint(s.Seed, 10)}, {"mode", string(p.Mode)}, {"connections", strconv.Itoa(p.Connections)},
	}...)
	if p.Rate > 0 {
		list = append(list, [2]string{"rate", strconv.FormatFloat(p.Rate, 'f', -1, 64) + "/s"}, [2]string{"arrivals", string(p.Arrivals)})
	}
	if len(p.Phases) > 0 {
		list = append(list, [2]string{"phases", p.Rhythm().String()}, [2]string{"arrivals", string(p.Arrivals)})
	}
	for _, d := range []struct {
		name string
		time.Duration
	}{{"duration", s.Duration}, {"warmup", s.Warmup}, {"timeout", s.Timeout}} {
		if d.Duration > 0 {
			list = append(list, [2]string{d.name, d.String()})
		}
	}
	list = append(list, [2]string{"engine", e.Result.Engine}, [2]string{"validity", e.Result.Level()}, [2]string{"dyno", cli.Version()})
	for _, f := range e.Result.Findings {
		list = append(list, [2]string{"finding." + string(f.Name), f.Detail.String()})
	}
	return list
}
