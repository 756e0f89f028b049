//go:build linux

package storm

import (
	"crypto/tls"
	"math/rand/v2"
	"net"
	"time"
)

// client is one for as long as it has a connection.
func (s *Storm) client(rng *rand.Rand, kind string, end time.Time) {
	switch kind {
	case "c1", "c1tls", "pipe":
		s.client1(rng, kind, end)
	case "web", "json":
		s.client1(rng, kind, end)
	case "c2", "c2tls", "grpc":
		s.client2(rng, kind, end)
	case "ws", "wstls", "ws2":
		switch r := s.draw(rng, kind); {
		case r == nil:
			time.Sleep(10 * time.Millisecond)
		case kind == "ws2":
			s.roundTripWS2(rng, r)
		default:
			s.roundTripWS(r)
		}
	}
}

// dial connects to the gateway.
func (s *Storm) dial(secured bool, protocol string) (net.Conn, error) {
	at := s.plain
	if secured {
		at = s.secured
	}
	c, err := net.DialTimeout("tcp", at, patience)
	if err != nil || !secured {
		return c, err
	}
	t := tls.Client(c, s.clientTLS(protocol))
	t.SetDeadline(time.Now().Add(patience))
	if err := t.Handshake(); err != nil {
		t.Close()
		return nil, err
	}
	t.SetDeadline(time.Time{})
	return t, nil
}

// noConnection notes that none could be made.
func (s *Storm) noConnection(kind string, err error) {
	s.count(kind + " no-connection")
	if !s.draining.Load() && !s.child.ended() {
		s.violate("no-connection", "%s: %v", kind, err)
	}
	time.Sleep(50 * time.Millisecond)
}
