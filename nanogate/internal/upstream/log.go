package upstream

import (
	"context"
	"log/slog"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/request"
)

// logChange logs a change of an endpoint, unless many were logged in the same second: a whole
// rack may go at once, and an endpoint may come and go.
func (u *Upstream) logChange(level slog.Level, message string, args ...any) {
	g := u.registry
	if !g.logged.Takes(clock.Now()) {
		g.left.Add(1)
		return
	}
	args = append([]any{"upstream", u.Name}, args...)
	if left := g.left.Swap(0); left > 0 {
		args = append(args, "left_out", left)
	}
	g.log().Log(context.Background(), level, message, args...)
}

// logMark logs that an endpoint has become unavailable for a reason, or available again.
// before is the set as it was. u.mu is held.
func (u *Upstream) logMark(e *Endpoint, m Mark, on bool, why string, before *Set) {
	after := u.set.Load()
	usable := len(after.Usable)
	if after.Panic {
		usable = 0
	}
	args := []any{"endpoint", e.Name, "usable", usable, "of", len(after.All)}
	switch {
	case m == Starting: // it has just come
		return
	case on:
		u.logChange(slog.LevelWarn, "endpoint is down", append(args, "why", why)...)
	case e.marks.Load() == 0:
		u.logChange(slog.LevelInfo, "endpoint is up again", args...)
	}
	if after.Panic && (before == nil || !before.Panic) {
		u.logChange(slog.LevelError, "no endpoint is up: requests are sent to all of them, as health is a guess")
	}
}

// connects logs endpoints that can't be connected to, and those that can again, whether or
// not they are watched by anything else.
type connects struct{ u *Upstream }

// Tried implements [Detector].
func (c connects) Tried(e *Endpoint, status int, failed request.Failure, _ int64) {
	switch {
	case failed == request.ConnectFailed:
		now := clock.Now()
		if e.cut.Load() || now-e.cutAt.Load() < int64(time.Second) || !e.cut.CompareAndSwap(false, true) {
			return
		}
		e.cutAt.Store(now)
		c.u.logChange(slog.LevelWarn, "endpoint can't be connected to", "endpoint", e.Name)
	case status > 0 && e.cut.Load() && e.cut.CompareAndSwap(true, false):
		c.u.logChange(slog.LevelInfo, "endpoint can be connected to again", "endpoint", e.Name)
	}
}
