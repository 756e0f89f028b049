//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
)

// faulting makes a share of a route's requests fail or wait.
type faulting struct{ *loop }

func (l faulting) sending(c *client) bool {
	f := c.x.route.Config.Fault
	chance := func(share float64) bool { return float64(l.local.Random()>>11)/(1<<53) < share }
	switch {
	case f.Abort != 0 && chance(f.AbortShare):
		l.heads.refuse(c, request.Refuse(f.Abort, "fault injected", "").For(request.RefusedFault))
	case f.Delay > 0 && chance(f.DelayShare):
		l.exchanges.pause(c, f.Delay, filter.Fault.String())
	default:
		return false
	}
	return true
}
