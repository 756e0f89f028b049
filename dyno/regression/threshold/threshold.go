// Package threshold holds the expressions that say which change of a metric is a
// regression:
//
//	cpu > +3%
//	throughput < -5%, response.p99 > +10%
//
// The percentage is of the old figure; that of errors is of all requests, as the share
// of errors is mostly zero and has no ratio then: errors > +0.5% is half a request in a
// hundred more. A threshold is about the worse direction of its metric only: a gate
// stops what gets worse.
package threshold

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Threshold is the change from which on a metric has regressed.
type Threshold struct {
	Metric string
	// Change is the share by which the metric may get worse: above zero if it may
	// rise by so much, below zero if it may fall. Of errors it is the share of all
	// requests that may fail beyond those that failed before.
	Change float64
}

// Bounds of a change: less is below what can be detected, more is no gate.
const (
	least = 0.001
	most  = 10
)

// Defaults are the thresholds of those who name none.
func Defaults() []Threshold {
	return []Threshold{{"throughput", -0.05}, {"cpu", 0.05}, {"response.p99", 0.10}, Errors()}
}

// errorShare is the metric whose changes are shares of all requests.
const errorShare = "errors"

// Errors is the threshold of errors that holds for those too who name other metrics:
// to fail is cheaper than to serve, so that no other figure can be read without it.
func Errors() Threshold { return Threshold{errorShare, 0.005} }

// OfErrors reports whether the threshold is about the share of errors.
func (t Threshold) OfErrors() bool { return t.Metric == errorShare }

// Rises reports whether the metric gets worse by rising.
func (t Threshold) Rises() bool { return t.Change > 0 }

// Limit is the ratio of new to old beyond which the metric has regressed.
func (t Threshold) Limit() float64 { return 1 + t.Change }

// String returns the expression in the form that Parse reads.
func (t Threshold) String() string {
	op := "<"
	if t.Rises() {
		op = ">"
	}
	percent := strconv.FormatFloat(100*t.Change, 'f', 6, 64)
	percent = strings.TrimSuffix(strings.TrimRight(percent, "0"), ".")
	if t.Rises() {
		percent = "+" + percent
	}
	return t.Metric + " " + op + " " + percent + "%"
}

// MarshalText writes a threshold as its expression.
func (t Threshold) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// maxExpressions bounds what one text may hold.
const maxExpressions = 50

// ParseList reads thresholds separated by commas. metrics are the names there
// are.
func ParseList(text string, metrics []string) ([]Threshold, error) {
	parts := strings.Split(text, ",")
	if len(parts) > maxExpressions {
		return nil, i18n.Errorf("threshold.more-thresholds", "more than %d thresholds", maxExpressions)
	}
	var list []Threshold
	for _, part := range parts {
		t, err := Parse(part, metrics)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// A minus may be written as the sign that word processors make of it.
var form = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_.]*)\s*([<>])\s*([+−-])\s*([0-9]{1,4}(?:\.[0-9]{1,4})?)\s*%\s*$`)

// Parse reads one threshold. A percentile may be written without its clock: p99
// is response.p99.
func Parse(text string, metrics []string) (Threshold, error) {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return Threshold{}, i18n.Errorf("threshold.expected-threshold", "%.80q: expected what is a regression, as in 'cpu > +3%%' or 'throughput < -5%%'", strings.TrimSpace(text))
	}
	name, err := metricOf(m[1], metrics)
	if err != nil {
		return Threshold{}, fmt.Errorf("%q: %w", strings.TrimSpace(text), err)
	}
	percent, err := strconv.ParseFloat(m[4], 64)
	if err != nil {
		return Threshold{}, fmt.Errorf("%q: %w", strings.TrimSpace(text), err)
	}
	t := Threshold{Metric: name, Change: percent / 100}
	if m[3] != "+" {
		t.Change = -t.Change
	}
	if err := t.check(m[2] == ">", m[3] == "+"); err != nil {
		return Threshold{}, fmt.Errorf("%q: %w", strings.TrimSpace(text), err)
	}
	return t, nil
}

// check refuses thresholds that make no sense: above says that the operator is
// ">", plus that the sign is +.
func (t Threshold) check(above, plus bool) error {
	rises := t.Metric != "throughput" // of all that is measured, only more of it is better
	size := max(t.Change, -t.Change)
	switch {
	case above != plus:
		return i18n.Errorf("threshold.direction-form", "a rise is written > +%s, a fall < -%s", percentOf(size), percentOf(size))
	case plus != rises && rises:
		return i18n.Errorf("threshold.less-is-better", "less of %s is better: write '%s > +%s'", t.Metric, t.Metric, percentOf(size))
	case plus != rises:
		return i18n.Errorf("threshold.more-is-better", "more of %s is better: write '%s < -%s'", t.Metric, t.Metric, percentOf(size))
	case size < least:
		return i18n.Errorf("threshold.change-too-small", "the least change is %s: smaller ones can't be told from none", percentOf(least))
	case !plus && size >= 1 || size > most:
		return i18n.Errorf("threshold.change-out-of-range", "a fall is below 100%%, a rise at most %s", percentOf(most))
	case t.OfErrors() && size >= 1:
		return i18n.Errorf("threshold.errors-above-all", "errors are a percentage of all requests: less than 100%% more can fail")
	}
	return nil
}

func percentOf(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) + "%" }

func metricOf(name string, metrics []string) (string, error) {
	for _, m := range metrics {
		if m == name || m == "response."+name {
			return m, nil
		}
	}
	if near, ok := spelling.Nearest(name, metrics); ok {
		return "", i18n.Errorf("threshold.unknown-metric-hint", "no metric %q; did you mean %s?", name, near)
	}
	return "", i18n.Errorf("threshold.unknown-metric", "no metric %q; there are %s", name, i18n.Names(metrics...))
}
