package config

import "time"

// Outliers is when an endpoint whose responses fail is ejected for a while.
type Outliers struct {
	Failures int           // in a row: 5xx, no response, none in time
	Eject    time.Duration // for how long; that many times longer each time it happens again
	Most     float64       // share of an upstream's endpoints that may be ejected at once
}

func readOutliers(p place) *Outliers {
	o := &Outliers{Failures: 5, Eject: 30 * time.Second, Most: 0.5}
	readFields(p, o, []known[Outliers]{
		// Failed requests in a row.
		{"failures", func(o *Outliers, p place) { o.Failures = p.Integer(1, 1_000_000) }},
		// How long an endpoint is taken out; longer each time.
		{"eject", func(o *Outliers, p place) { o.Eject = p.Duration(100*time.Millisecond, time.Hour) }},
		// The share of the endpoints that may be out at once.
		{"most", func(o *Outliers, p place) { o.Most = p.share() }},
	})
	return o
}
