package config

import (
	"time"

	"dyno.example/nano/wire/http1"
)

// Health is how an upstream's endpoints are asked whether they are well.
type Health struct {
	GRPC      bool   // by the health checking protocol of gRPC, of Service
	Service   string // "" is the server as a whole
	Path      string
	Host      string // sent to them; "": their address
	Every     time.Duration
	Timeout   time.Duration
	Unhealthy int // failures in a row after which one isn't asked any more
	Healthy   int // successes in a row after which it is again
	Low, High int // statuses that are well, both included
}

func readHealth(p place) *Health {
	h := &Health{Path: "/", Every: 5 * time.Second, Timeout: 2 * time.Second, Unhealthy: 3, Healthy: 2, Low: 200, High: 399}
	if !p.IsMapping() {
		h.Path = readHealthPath(p)
		return h
	}
	readFields(p, h, []known[Health]{
		// Path that is asked for.
		{"path", func(h *Health, p place) { h.Path = readHealthPath(p) }},
		// The service that is asked for by gRPC's health checking protocol, instead of a path; `""`
		// is the server as a whole. Default: HTTP is used
		{"grpc", func(h *Health, p place) { h.GRPC, h.Service = true, readService(p) }},
		// The Host that is sent. Default: the endpoint's
		{"host", func(h *Health, p place) {
			if h.Host = p.text(); h.Host != "" && !http1.ValidHost(h.Host) {
				p.Problem("such as api.example.com", "expected a host, got %s", form.Quote(h.Host))
			}
		}},
		// From one check to the next.
		{"every", func(h *Health, p place) { h.Every = p.Duration(50*time.Millisecond, time.Hour) }},
		// For a response.
		{"timeout", func(h *Health, p place) { h.Timeout = p.Duration(10*time.Millisecond, time.Minute) }},
		// Failures in a row after which an endpoint is taken out.
		{"unhealthy", func(h *Health, p place) { h.Unhealthy = p.Integer(1, 1000) }},
		// Successes in a row after which it returns.
		{"healthy", func(h *Health, p place) { h.Healthy = p.Integer(1, 1000) }},
		// The one status that is a success. Default: 200 to 399
		{"status", func(h *Health, p place) { h.Low = p.status(100, 599); h.High = h.Low }},
	})
	return h
}

// readService reads the name of a service that is asked for its health. None is the health of the
// server as a whole, as the protocol has it.
func readService(p place) string {
	text, ok := p.Scalar()
	switch {
	case !ok:
		p.Problem("such as users.v1.Users", `expected the name of a service, or "" for the server as a whole, got %s`, p.Describe())
	case text != "":
		return p.text()
	}
	return ""
}
