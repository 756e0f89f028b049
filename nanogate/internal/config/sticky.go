package config

import (
	"time"

	"dyno.example/nano/wire/http1"
)

// Sticky keeps a client with the endpoint that it was given first, by a cookie.
type Sticky struct {
	Cookie string
	For    time.Duration // 0: as long as the browser is open
	Key    string        // file of what its values are encrypted with; "": what the gateway draws
}

func readSticky(p place) *Sticky {
	s := &Sticky{}
	found := readFields(p, s, []known[Sticky]{
		// The cookie's name. Default: required
		{"cookie", func(s *Sticky, p place) { s.Cookie = p.token("cookie") }},
		// How long it is valid. Default: as long as the browser is open
		{"for", func(s *Sticky, p place) { s.For = p.Duration(time.Second, 366*24*time.Hour) }},
		// File of the key that its value is encrypted with (16 bytes or more), which gateways
		// beside each other share. Default: one that the gateway draws and keeps [on
		// disk](upstreams.md#what-is-kept-on-disk)
		{"key", func(s *Sticky, p place) { s.Key = p.path() }},
	})
	if _, ok := found["cookie"]; !ok || !http1.ValidToken(s.Cookie) {
		p.Problem("such as {cookie: instance}", "sticky needs the name of its cookie")
	}
	return s
}
