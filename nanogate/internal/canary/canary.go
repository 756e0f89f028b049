// Package canary sends a share of a route's requests to another upstream, and takes them
// back when they fare worse there than at the route's own: when they fail, or are slow,
// more often than allowed, by a test that may be looked at all the time and gives up one
// that isn't worse with a chance that is known beforehand.
package canary

import (
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// State is what a canary is doing.
type State uint8

const (
	Running    State = iota // it has the share of its step
	RolledBack              // it gets no requests, until it is resumed or its configuration changes
)

// String is the state's name.
func (s State) String() string { return [...]string{"running", "rolled-back"}[s] }

// Canary is the canary of one route. It goes on when the route is changed in other ways.
// Its state advances with requests, so it has no goroutine and isn't closed.
type Canary struct {
	Config *config.Canary

	route string
	loops int
	log   *slog.Logger

	stage  atomic.Pointer[stage]
	judged atomic.Int64 // when that was last, ns

	mu      sync.Mutex // of what follows
	state   State
	since   time.Time // of the state
	started time.Time // this run was
	why     string    // it was rolled back
	step    int
	begun   int64    // when the step began, ns
	tallies []*tally // of this run: the present step's is the last
}

// judgeEvery is how often what has come of requests is looked at, in ns.
const judgeEvery = int64(100 * time.Millisecond)

// stage is what draws go by: never changed, but replaced.
type stage struct {
	held  bool   // it gets no requests
	below uint64 // of 1<<32 requests so many are
	tally *tally
}

// New makes the canary of a route for a gateway with so many loops. now is in ns of
// [clock.Now].
func New(c *config.Canary, route string, loops int, log *slog.Logger, now int64) *Canary {
	k := &Canary{Config: c, route: route, loops: max(1, loops), log: log}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.run(now)
	return k
}

// run begins at the first step, with nothing counted. k.mu is held.
func (k *Canary) run(now int64) {
	k.state, k.since, k.why, k.tallies = Running, time.Now(), "", nil
	k.started = k.since
	k.enter(0, now)
}

// enter begins a step. k.mu is held.
func (k *Canary) enter(step int, now int64) {
	k.step, k.begun = step, now
	weight := k.Config.Steps[step].Weight
	t := &tally{canary: k, share: weight, shards: make([]shard, k.loops)}
	k.tallies = append(k.tallies, t)
	k.stage.Store(&stage{below: uint64(weight * (1 << 32)), tally: t})
}

// Values of the header field and the cookie that say where a request goes.
const (
	toCanary = "canary"
	toStable = "stable"
)

// Draw decides whether a request is the canary's: by what it says itself, or else by
// chance. It is called on the request's loop.
func (k *Canary) Draw(r *request.Request, l *upstream.Local) (yes bool, t Ticket) {
	s := k.stage.Load()
	if s.held {
		return false, Ticket{}
	}
	if yes, ok := k.selectedSide(r); ok {
		return yes, Ticket{} // not counted: clients that request the canary themselves may be of one kind
	}
	number := l.Random() >> 32
	if k.Config.Sticky > 0 {
		if before, ok := k.drawn(r); ok {
			return before < s.below, Ticket{} // it was counted then
		}
		k.remember(r, number)
	}
	yes = number < s.below
	return yes, Ticket{s.tally, yes}
}

// Requested is the side that a request selects by itself; "": none.
func (k *Canary) Requested(r *request.Request) string {
	switch yes, ok := k.selectedSide(r); {
	case !ok:
		return ""
	case yes:
		return toCanary
	}
	return toStable
}

// selectedSide reads the side that a request's field or cookie selects.
func (k *Canary) selectedSide(r *request.Request) (yes, ok bool) {
	var value []byte
	if k.Config.Header != "" {
		if value, ok = r.Header(k.Config.Header); ok && (string(value) == toCanary || string(value) == toStable) {
			return string(value) == toCanary, true
		}
	}
	if k.Config.Cookie != "" {
		if value, ok = r.Cookie(k.Config.Cookie); ok && (string(value) == toCanary || string(value) == toStable) {
			return string(value) == toCanary, true
		}
	}
	return false, false
}

// drawn reads what a client drew before.
func (k *Canary) drawn(r *request.Request) (number uint64, ok bool) {
	value, ok := r.Cookie(k.Config.Cookie)
	if !ok || len(value) != drawnDigits {
		return 0, false
	}
	number, err := strconv.ParseUint(string(value), 16, 32)
	return number, err == nil
}

const drawnDigits = 8 // of a number of 32 bits

// remember sets a cookie with the number that the client drew: it stays on its side as long
// as the share is the same, and clients of the canary stay there when it grows.
func (k *Canary) remember(r *request.Request, number uint64) {
	value := fmt.Appendf(nil, "%s=%0*x; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d", k.Config.Cookie, drawnDigits, number, int64(k.Config.Sticky/time.Second))
	if r.Secure {
		value = append(value, "; Secure"...)
	}
	r.Respond("Set-Cookie", value)
}

// RollBack takes all requests from the canary, by hand.
func (k *Canary) RollBack(why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state == Running {
		k.rollBack(why)
	}
}

// rollBack does it. Requests under way end where they are. k.mu is held.
func (k *Canary) rollBack(why string) {
	k.state, k.since, k.why = RolledBack, time.Now(), why
	k.stage.Store(&stage{held: true})
	// The log may be slow, and this a loop.
	go k.log.Warn("a canary was rolled back", "route", k.route, "why", why)
}

// Resume starts over at the first step with counts of zero. now is in ns.
func (k *Canary) Resume(now int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.run(now)
	go k.log.Info("a canary was resumed", "route", k.route)
}
