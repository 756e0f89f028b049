// Package gateway is what the gateways on net/http share that are measured: passing on,
// tokens, and what studies vary of it. It is no subject itself.
package gateway

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Settings are what studies vary, by environment variables. Without any but the upstream
// it is a gateway that verifies tokens and passes on.
type Settings struct {
	Upstream  string        // UPSTREAM: host:port
	Metrics   bool          // GATEWAY_METRICS=on: a counter, a histogram and a trace's span for each request
	Limit     float64       // GATEWAY_LIMIT: requests a second of a client; 0 for any number
	Timeout   time.Duration // GATEWAY_TIMEOUT: for a whole request; 0 for none
	Pool      int           // GATEWAY_POOL: connections to the upstream at most; 0 for as many as it takes
	Breaker   int           // GATEWAY_BREAKER: percent of failures that open it; 0 for none
	Sleep     time.Duration // GATEWAY_BREAKER_SLEEP: how long it is open then
	Shed      int           // GATEWAY_SHED: requests passed on at once, beyond which the response is 503; 0 for all
	Resolver  string        // GATEWAY_RESOLVER: address, patient or bounded, see resolve.go; empty keeps connections
	Leak      bool          // GATEWAY_LEAK=on: a goroutine for each request that keeps its context for ever
	OpenFiles uint64        // GATEWAY_OPEN_FILES: how many it may have open; 0 leaves that to the system
}

// SettingsOf reads them.
func SettingsOf(getenv func(string) string) (s Settings, err error) {
	s.Upstream = getenv("UPSTREAM")
	if s.Upstream == "" {
		return s, errors.New("UPSTREAM is not set: dyno sets it to the upstream's host:port")
	}
	s.Sleep = 30 * time.Second
	s.Resolver = getenv("GATEWAY_RESOLVER")
	switch s.Resolver {
	case "", "address", "patient", "bounded":
	default:
		return s, fmt.Errorf("GATEWAY_RESOLVER is %q: set it to address, patient or bounded", s.Resolver)
	}
	limit, files := 0, 0
	for _, n := range []struct {
		name string
		to   *int
	}{{"GATEWAY_LIMIT", &limit}, {"GATEWAY_POOL", &s.Pool}, {"GATEWAY_BREAKER", &s.Breaker}, {"GATEWAY_SHED", &s.Shed}, {"GATEWAY_OPEN_FILES", &files}} {
		text := getenv(n.name)
		if text == "" {
			continue
		}
		if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 0 || *n.to > 1_000_000_000 {
			return s, fmt.Errorf("%s is %q: set it to a number from 0", n.name, text)
		}
	}
	s.Limit, s.OpenFiles = float64(limit), uint64(files)
	for _, d := range []struct {
		name string
		to   *time.Duration
	}{{"GATEWAY_TIMEOUT", &s.Timeout}, {"GATEWAY_BREAKER_SLEEP", &s.Sleep}} {
		text := getenv(d.name)
		if text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(text); err != nil || *d.to < 0 {
			return s, fmt.Errorf("%s is %q: set it to a duration such as 150ms", d.name, text)
		}
	}
	for _, b := range []struct {
		name string
		to   *bool
	}{{"GATEWAY_METRICS", &s.Metrics}, {"GATEWAY_LEAK", &s.Leak}} {
		switch text := getenv(b.name); text {
		case "", "off":
		case "on":
			*b.to = true
		default:
			return s, fmt.Errorf("%s is %q: set it to on or off", b.name, text)
		}
	}
	return s, nil
}
