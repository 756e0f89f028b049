package config

import "time"

// DNS is how host names among an upstream's endpoints are resolved.
type DNS struct {
	Every   time.Duration // how often they are asked for
	Timeout time.Duration // for a response
}

func newDNS() DNS { return DNS{Every: 10 * time.Second, Timeout: 2 * time.Second} }

var dnsFields = []known[DNS]{
	// How often names are resolved.
	{"every", func(d *DNS, p place) { d.Every = p.Duration(time.Second, 24*time.Hour) }},
	// For a response.
	{"timeout", func(d *DNS, p place) { d.Timeout = p.Duration(10*time.Millisecond, time.Minute) }},
}
