//go:build linux

package storm

import (
	"math/rand/v2"
	"syscall"
	"time"
)

// chaos stops and starts endpoints, and changes the configuration, until stop is closed.
func (s *Storm) chaos(stop chan struct{}) {
	defer s.work.Done()
	rng := s.stream(1)
	for {
		select {
		case <-stop:
			if s.on["reload"] {
				s.reload(rng, false)
			}
			return
		case <-time.After(200 * time.Millisecond):
		}
		if s.on["reload"] {
			s.reload(rng, true)
		}
		if s.on["kills"] && rng.IntN(3) == 0 {
			g := s.groups[s.order[rng.IntN(len(s.order))]]
			e := g.endpoints[rng.IntN(len(g.endpoints))]
			for range 3 { // until it is up again, and a little longer
				g.disturb()
			}
			e.stop(rng.IntN(3) > 0, rng.IntN(2) == 0)
			down := time.Duration(50+rng.IntN(300)) * time.Millisecond
			for end := time.Now().Add(down); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				g.disturb()
			}
			for range 50 {
				g.disturb()
				if err := e.listen(); err == nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			g.disturb()
			s.count("kills")
		}
	}
}

// reload has the gateway read another configuration, or the first one.
func (s *Storm) reload(rng *rand.Rand, changed bool) {
	if err := s.configure(rng, changed); err != nil {
		s.violate("driver", "%v", err)
		return
	}
	s.child.cmd.Process.Signal(syscall.SIGHUP)
	s.count("reloads")
}
