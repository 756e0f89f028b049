package load

import (
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// Counts holds what both ends say of how many requests there were, from before
// the load until after it, warm-up and invalid windows included.
type Counts struct {
	Server    float64 `json:"server"`   // as the server counts, by Series
	Series    string  `json:"series"`   // of the server's metrics
	Sent      uint64  `json:"sent"`     // handed to the kernel
	Responses uint64  `json:"answered"` // complete responses, as expected
}

// countsApart is the threshold of the finding; dyno/docs/findings.md explains it.
const countsApart = 0.001 // of the requests sent

// CompareCounts compares the load with how many requests the server says it has served
// meanwhile. Requests without a response may or may not be in its count, and so may the
// request for the count itself.
func (r *Result) CompareCounts(series string, server float64) {
	c := &Counts{Server: server, Series: series}
	for i := range r.Windows {
		w := &r.Windows[i]
		c.Sent += w.Sent
		c.Responses += w.Completed + w.Drained
	}
	r.Counts = c
	const question = 1
	slack := countsApart*float64(c.Sent) + question
	if server >= float64(c.Responses)-slack && server <= float64(c.Sent)+slack {
		return
	}
	f := finding.Finding{Name: finding.CountsApart, Validity: finding.Suspect, Detail: i18n.New("load.server-counts-differ",
		"the server counts %.0f requests (%s), but %d were sent and %d responses came (limit %.1f %%)", server, series, c.Sent, c.Responses, 100*countsApart)}
	r.Findings = append(r.Findings, f)
	r.Validity = r.Validity.Worse(f.Weight())
}
