package export

import (
	"dyno.example/dyno/objective"
	"dyno.example/internal/i18n"
)

// Threshold is a threshold and what became of it.
type Threshold struct {
	Expression string `json:"expression"`
	// Decision is "holds", "fails", "unknown" (which counts as a failure), or
	// "not evaluated" if the load was interrupted.
	Decision string       `json:"verdict"`
	Measured i18n.Message `json:"measured,omitzero"`
}

// NotEvaluated is the decision on a threshold of a load that was interrupted.
const NotEvaluated = "not evaluated"

// Failed reports whether it is not known to hold, though the load ran to its end.
func (j *Threshold) Failed() bool {
	return j.Decision == objective.Fails.String() || j.Decision == objective.Unknown.String()
}
