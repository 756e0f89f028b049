package load

import (
	"crypto/tls"
	"fmt"
	"net/netip"
	"time"

	"dyno/lab/load/profile"
	"dyno/lab/load/request"
)

// share is one loop's part of a load, with all that is known before it: it is only
// read from then on.
type share struct {
	program   *program
	target    string         // host and port, or the path of a socket, for messages
	addr      netip.AddrPort // of the target; not set with a socket's path
	tlsConfig *tls.Config    // nil for http
	link      *request.Link
	profile   *profile.Profile
	seed      uint64
	warmup    time.Duration
	timeout   time.Duration // per request, from its sending
	patience  time.Duration // how long to wait after the measured time
	pacing    profile.Pacing
	// stamps asks for the time at which the kernel received answers.
	stamps bool

	part, parts int
	connections int
	most        int    // connections, with those opened for overflow
	quota       uint64 // requests to send at most; 0: no limit
	cpu         int    // -1: anywhere
	errors      *errorLog
}

// unreachable is the error for a share of which no connection came up.
func (sh *share) unreachable() error {
	why := sh.errors.whyUnconnected()
	if why == "" {
		why = fmt.Sprintf("no answer within %v", min(connectPatient, sh.timeout))
	}
	return &request.UnreachableError{Target: sh.target, Why: why}
}
