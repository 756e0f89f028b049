package explain

import "dyno.example/dyno/evidence"

// Records explains a load of which there is the evidence of requests and nothing else: what
// seconds tell of collections, steal and the like is not in it. The records are its own from
// here on.
func Records(h *evidence.Header, records []evidence.Record) Explanation {
	var c Cell
	c.AddEvidence(0, h, records)
	e := Explanation{Source: Nothing, Causes: []Cause{}, Budget: []Part{}, Unexplained: 1}
	e.Sampled.Requests = int(h.Counts.Requests)
	c.byRequests(&e)
	return e
}
