// Package regression decides whether a new version of a program has become worse than
// an old one by more than is allowed.
//
// It alarms about a metric if the new version is certainly worse (the whole
// interval of the ratio is on the bad side of no change), and worse by more than
// the threshold as far as is known (its estimate is beyond). It says that all
// is well only if the whole interval is on the good side of the threshold.
// Everything else is "can't tell", with what it would take. Errors are checked whatever
// is asked for, as points of difference. Before it alarms,
// fresh blocks must say the same: two versions that are the same are not both
// times worse by chance.
package regression

import (
	"math"
	"slices"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Schema is the version of [Result] as JSON.
const Schema = 1

// Decision is what the gate says of a metric, or of all.
type Decision string

// The decisions, from the best to the worst.
const (
	OK         Decision = "ok"
	CannotTell Decision = "can't tell"
	Regression Decision = "regression"
)

// Mode is what a new version is held against.
type Mode string

// The modes.
const (
	Against  Mode = "against"  // an old version, measured in turns with the new one
	Baseline Mode = "baseline" // figures of a baseline file
)

// Result is what the gate says.
type Result struct {
	Schema     int          `json:"schema"`
	Decision   Decision     `json:"verdict"`
	Mode       Mode         `json:"mode"`
	Study      string       `json:"study"`
	Old        i18n.Message `json:"old"` // what was compared, for people
	New        i18n.Message `json:"new"`
	Runs       []string     `json:"runs"`  // IDs: the first, and the one that was to confirm an alarm
	Level      float64      `json:"level"` // confidence of each interval
	FalseAlarm float64      `json:"false_alarm"`
	// Days are those of the baseline, 0 without one. Of one day alone FalseAlarm is
	// the bound for a machine whose days are alike.
	Days           int                 `json:"baseline_days,omitempty"`
	Checks         []Check             `json:"checks"`
	Conditions     []compare.Condition `json:"conditions,omitempty"` // what else was different from the baseline
	AcrossMachines bool                `json:"across_machines,omitempty"`
	Remarks        []i18n.Message      `json:"remarks,omitzero"`
	// Canaries say whether an unchanged program moved with those that alarms are about.
	Canaries []Canary      `json:"canaries,omitempty"`
	Command  []string      `json:"command"` // that repeats it
	Started  time.Time     `json:"started"`
	Took     time.Duration `json:"took_ns"`

	confirms       bool // whether an alarm needs a second run that agrees
	errorsAccepted bool // whether the study accepts that requests fail
}

// Check is one threshold held against one metric of one cell.
type Check struct {
	Group     string              `json:"group"`
	Subject   string              `json:"subject"`
	Metric    string              `json:"metric"`
	Unit      string              `json:"unit,omitempty"`
	Threshold threshold.Threshold `json:"threshold"`
	Decision  Decision            `json:"verdict"`
	Sentence  i18n.Message        `json:"sentence"`
	Old       stats.Interval      `json:"old"` // median over restarts
	New       stats.Interval      `json:"new"`
	Ratio     stats.Interval      `json:"ratio"` // new by old
	// Difference is that of the shares of errors, in percentage points: of those,
	// mostly zero, there is no ratio. Nil for other metrics.
	Difference *stats.Interval `json:"difference_points,omitempty"`
	// Finds is the smallest worsening, as a share, at which this check would have
	// alarmed in nine of ten cases, a second run included; 0 if it is unknown.
	Finds float64 `json:"finds"`
	// Needs is about how many blocks it takes to find a worsening as large as the
	// threshold; 0 if that is known to be enough already, or is unknown.
	Needs int `json:"needs_blocks,omitempty"`
	// NeedsDays is the same in days of the baseline, where those decide.
	NeedsDays int `json:"needs_days,omitempty"`
	// First is the ratio, or the difference, of the run that alarmed, if another was
	// to confirm it.
	First *stats.Interval `json:"first,omitempty"`
	// Pairs is of a gate that goes pair by pair, nil of others.
	Pairs *PairFigure `json:"pairs,omitempty"`
	// Functions are those that cost more CPU time, where that is what regressed and both
	// versions could be sampled.
	Functions []Grown `json:"functions,omitempty"`
}

// Rates of errors. An alarm about versions that are the same needs a wrong
// interval (one in alpha/2) for one of the checks, and with confirmation another
// one for the same check in fresh blocks.
const (
	alpha       = 0.05 // of each interval, at most
	falseAlarms = 0.05 // of all checks together, at most
	power       = 0.97 // of each of two runs, and of each of the two things an alarm takes: nine in ten for all
)

// levelFor is the confidence that each of so many checks needs so that false
// alarms are as rare as promised.
func levelFor(checks int, confirms bool) float64 {
	k := float64(max(checks, 1))
	if confirms {
		return 1 - min(alpha, 2*math.Sqrt(falseAlarms/k))
	}
	return 1 - min(alpha, 2*falseAlarms/k)
}

// falseAlarm is the highest probability of any alarm if nothing has changed.
func falseAlarm(checks int, level float64, confirms bool) float64 {
	wrong := (1 - level) / 2
	if confirms {
		wrong *= wrong
	}
	return min(1, float64(checks)*wrong)
}

// Options say what is checked.
type Options struct {
	Thresholds []threshold.Threshold
	// Explicit says that somebody named the thresholds: one whose metric is not
	// measured is then not left out in silence.
	Explicit bool
	// Stages has it go pair by pair until it is decided; nil: the number of blocks is fixed.
	Stages *Stages
}

// named reports whether somebody named the threshold.
func (o *Options) named(t threshold.Threshold) bool {
	return o.Explicit && slices.Contains(o.Thresholds, t)
}

// JudgePairs judges a run that has both versions of each subject. Its alarms are
// to be confirmed by a second run.
func JudgePairs(a *analysis.Analysis, list []Pair, o Options) *Result {
	r := newResult(a, Against, true)
	r.judge(pairs(a, list), o, 0)
	return r
}

// oneDay is what a baseline of one day can't promise.
func oneDay() i18n.Message {
	return i18n.New("regression.one-day", "the baseline is of one day: what the machine differs by from day to day is in no interval here, and a second run of today shares today. dyno baseline add NAME RUN adds a run of another day; from two on it is in the intervals, and from four or five they are no longer much wider for it")
}

// JudgeStored judges a run by a baseline. What is stored can't be measured
// again, and an accident in it would be confirmed by any number of runs: the
// promise about false alarms rests on one run alone. So it does with the day: a
// second run shares it, and only the days of the baseline can tell what days
// differ by.
func JudgeStored(a *analysis.Analysis, b *baseline.Baseline, o Options) *Result {
	r := newResult(a, Baseline, false)
	r.Days = b.Days()
	if r.Days == 1 {
		r.Remarks = append(r.Remarks, oneDay())
	} else if remark := farFrom(b, a.Run.Started); !remark.IsZero() {
		r.Remarks = append(r.Remarks, remark)
	}
	hardware := compare.HardwareDifferences(b.Machine, compare.Hardware(&a.Run.Machine))
	r.AcrossMachines = len(hardware) > 0
	r.Conditions = storedConditions(b, &a.Run)
	r.judge(stored(a, b), o, 0)
	for _, cell := range unstored(a, b) {
		r.Remarks = append(r.Remarks, i18n.New("regression.cell-not-in-baseline", "%s is not checked: the baseline does not have it; make a new baseline", cell))
	}
	if a.Run.Until.Sequential() {
		r.Remarks = append(r.Remarks, i18n.New("regression.error-rates-fixed-blocks", "the run could end by what it found: the rates of errors are those of a run whose number of blocks is fixed"))
	}
	return r
}

func newResult(a *analysis.Analysis, mode Mode, confirms bool) *Result {
	m := &a.Run
	r := &Result{
		Schema: Schema, Mode: mode, Study: m.Study, Runs: []string{m.ID}, Checks: []Check{}, Started: m.Started,
		confirms: confirms, errorsAccepted: slices.Contains(m.Accept, finding.Errors),
	}
	if !m.Finished.IsZero() {
		r.Took = m.Finished.Sub(m.Started)
	}
	for _, f := range a.Findings {
		level := f.Validity.Message()
		if f.Weight() != f.Validity {
			level = i18n.Join(level, i18n.New("regression.but-accepted", ", but accepted"))
		}
		r.Remarks = append(r.Remarks, i18n.Format("%s: %s: %s", level, f.Name, f.Detail))
	}
	return r
}

// judge fills in the checks. level is that of an earlier run, or 0.
func (r *Result) judge(samples []sample, o Options, level float64) {
	thresholds := r.withErrors(o.Thresholds)
	count, ofErrors := 0, 0
	for i := range samples {
		for _, t := range thresholds {
			if samples[i].judged(t, o.named(t)) {
				count++
				if t.OfErrors() {
					ofErrors++
				}
			}
		}
	}
	if level == 0 {
		level = levelFor(count, r.confirms)
	}
	r.Level, r.FalseAlarm = level, falseAlarm(count, level, r.confirms)
	if o.Stages != nil { // which errors have no part in: they are no ratios
		o.Stages.share(count - ofErrors)
		r.FalseAlarm = o.Stages.Alarms + falseAlarm(ofErrors, level, r.confirms)
	}
	for i := range samples {
		s := &samples[i]
		s.holdErrors(thresholds, o, level)
		for _, t := range thresholds {
			if s.judged(t, o.named(t)) {
				r.Checks = append(r.Checks, s.check(t, level, o.Stages))
				continue
			}
			r.Remarks = append(r.Remarks, i18n.New("regression.not-checked", "%s under %s: %s is not checked: %s", s.subject, s.group, t.Metric, s.missing(t.Metric)))
		}
		if remark := s.bothFail(); !remark.IsZero() {
			r.Remarks = append(r.Remarks, remark)
		}
	}
	r.conclude()
}

// conclude sums the checks up.
func (r *Result) conclude() {
	r.Decision = OK
	if len(r.Checks) == 0 {
		r.Decision = CannotTell
		r.Remarks = append(r.Remarks, i18n.New("regression.nothing-could-checked", "nothing could be checked"))
	}
	for _, c := range r.Checks {
		switch {
		case c.Decision == Regression:
			r.Decision = Regression
		case c.Decision == CannotTell && r.Decision == OK:
			r.Decision = CannotTell
		}
	}
}
