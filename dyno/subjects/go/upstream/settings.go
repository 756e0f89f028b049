package main

import (
	"fmt"
	"strconv"
	"time"
)

// settings are what studies vary, by environment variables. Without any, every response
// comes at once.
type settings struct {
	wait     time.Duration // UPSTREAM_WAIT: how long the work of a request takes
	room     int           // UPSTREAM_ROOM: how many are worked on at once; 0 for all
	patience time.Duration // UPSTREAM_PATIENCE: how long others wait for room before they get 503; 0 for ever
	slow     time.Duration // UPSTREAM_SLOW: what /api/slow takes in addition; 1 s if not given
	dnsStall time.Duration // UPSTREAM_DNS_STALL: how long a question for a name may have to wait
	dnsEvery int           // UPSTREAM_DNS_EVERY: which of so many does; 0 for none
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	s.slow = time.Second
	for _, d := range []struct {
		name string
		to   *time.Duration
	}{{"UPSTREAM_WAIT", &s.wait}, {"UPSTREAM_PATIENCE", &s.patience}, {"UPSTREAM_SLOW", &s.slow}, {"UPSTREAM_DNS_STALL", &s.dnsStall}} {
		text := getenv(d.name)
		if text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(text); err != nil || *d.to < 0 || *d.to > time.Minute {
			return s, fmt.Errorf("%s is %q: set it to a duration of at most a minute, such as 20ms", d.name, text)
		}
	}
	for _, n := range []struct {
		name string
		to   *int
	}{{"UPSTREAM_ROOM", &s.room}, {"UPSTREAM_DNS_EVERY", &s.dnsEvery}} {
		text := getenv(n.name)
		if text == "" {
			continue
		}
		if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 0 || *n.to > 1_000_000 {
			return s, fmt.Errorf("%s is %q: set it to a number from 0 to 1000000", n.name, text)
		}
	}
	return s, nil
}
