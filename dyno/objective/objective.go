// Package objective holds expressions about what a load came to, such as
//
//	p99.9 < 12ms, errors < 0.1%, throughput >= 4900/s
//	95% of windows: service.p99 < 50ms
//
// and judges results by them: an objective holds, fails, or can't be decided by
// what was measured. All its conditions must hold (a comma is an "and"). With
// "every window:" or "95% of windows:" before them, they must hold together in
// that share of the one-second windows instead of in the load as a whole.
package objective

import (
	"strconv"
	"strings"
)

// Objective is a parsed expression. It is not changed once made, so it may be
// used from several goroutines.
type Objective struct {
	// Windows is the share of windows, in (0, 1], in which the conditions must
	// hold; 0 if they are about the load as a whole.
	Windows    float64
	Conditions []Condition // at least one
}

// Condition compares a metric with a limit.
type Condition struct {
	Metric Metric
	Op     Op
	Limit  Limit
}

// Op is a comparison.
type Op string

// The comparisons there are.
const (
	Less      Op = "<"
	LessEq    Op = "<="
	Greater   Op = ">"
	GreaterEq Op = ">="
	Equal     Op = "=="
)

// Limit is a number with the unit it was written with.
type Limit struct {
	Number float64
	Unit   string // "ms", "%", "/s", "k/s", …; "" for a plain number
}

// String returns the expression in its shortest form, which Parse reads back.
func (o *Objective) String() string {
	var b strings.Builder
	switch {
	case o.Windows == 1:
		b.WriteString("every window: ")
	case o.Windows > 0:
		b.WriteString(decimal(o.Windows*100) + "% of windows: ")
	}
	for i, c := range o.Conditions {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.String())
	}
	return b.String()
}

func (c Condition) String() string {
	return c.Metric.String() + " " + string(c.Op) + " " + c.Limit.String()
}

func (l Limit) String() string { return decimal(l.Number) + l.Unit }

// decimal writes x without an exponent, with no more digits than a limit may have.
func decimal(x float64) string {
	text := strconv.FormatFloat(x, 'f', maxDecimals, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
