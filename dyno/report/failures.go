package report

import (
	"time"

	"dyno.example/dyno/analysis"
)

// failed is a failed request as the page shows it.
type failed struct {
	Kind     string
	Request  string
	Why      string
	Where    string // subject, block and second
	Sent     string
	Received string
}

// failedRequests are the failures that were kept whole.
func failedRequests(a *analysis.Analysis, c language) []failed {
	var list []failed
	for _, f := range a.Failures {
		shown := failed{Kind: c.text("failure." + f.Kind), Request: f.Request, Why: c.say(f.Why), Sent: f.Sent, Received: f.Received}
		if t, ok := plannedTrial(a, f.Trial); ok {
			second := int(f.At.Truncate(time.Second) / time.Second)
			shown.Where = c.text("failures.where", "subject", t.subject, "block", t.block, "second", second)
		}
		list = append(list, shown)
	}
	return list
}
