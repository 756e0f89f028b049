package objective

import "strings"

// ErrorBound is what holds of failed requests where an objective says nothing of them: a
// service that fails soon is quick, and holds at any rate.
const ErrorBound = "errors <= 1%"

// WithErrorBound is the objective with [ErrorBound], if it has no condition on errors.
func (o *Objective) WithErrorBound() *Objective {
	for _, c := range o.Conditions {
		if strings.HasPrefix(c.Metric.Figure, "errors") {
			return o
		}
	}
	bounded := *o
	bounded.Conditions = append(o.Conditions[:len(o.Conditions):len(o.Conditions)], Condition{
		Metric: Metric{Figure: "errors"}, Op: LessEq, Limit: Limit{Number: 1, Unit: "%"},
	})
	return &bounded
}
