package engine

import (
	"crypto/tls"
	"net/netip"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// readBuffer is how much is read of a connection at once, in bytes.
const readBuffer = 64 << 10

// Share is one loop's part of a load, with all that is known before it: it is only
// read from then on.
type Share struct {
	Program  *Program
	Target   string         // host and port, or the path of a socket, for messages
	Addr     netip.AddrPort // of the target; not set with a socket's path
	TLS      *tls.Config    // nil for http
	Link     *request.Link
	Profile  *profile.Profile
	Seed     uint64
	Warmup   time.Duration
	Timeout  time.Duration // per request, from its sending
	Patience time.Duration // how long to wait after the measured time
	Pacing   profile.Pacing
	// Sampler, if set, is called with requests that are over: see evidence.Sampler.
	Sampler *evidence.Sampler
	// Stamps requests the time at which the kernel received responses.
	Stamps bool

	Part, Parts int // from 0, of how many
	Connections int
	Most        int    // connections, with those opened for overflow
	Quota       uint64 // requests to send at most; 0: no limit
	CPU         int    // -1: anywhere
	Errors      *ErrorLog

	// Intercept, if set, is called by an event loop before each of its calls into its
	// backend, with the call's name: "wait", "send" or "handle". Tests stop loops there.
	Intercept func(call string)
}

// unreachable is the error for a share of which no connection came up.
func (sh *Share) unreachable() error {
	why := sh.Errors.whyUnconnected()
	if why.IsZero() {
		why = i18n.New("engine.no-response-in-time", "no response within %v", min(ConnectPatient, sh.Timeout))
	}
	return &request.UnreachableError{Target: sh.Target, Why: why}
}
