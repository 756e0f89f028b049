package nano

import (
	"net/netip"
	"testing"
	"time"
)

// A shutdown waits for connections that are there, and for nobody else.
func TestShutdownAwaitsNobody(t *testing.T) {
	var s stdServer
	const never = time.Hour
	s.awaitRequests(t.Context(), never)
	s.gate.Enter(netip.Addr{})
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.awaitRequests(t.Context(), never)
	}()
	select {
	case <-left:
		t.Error("it doesn't wait for who has connected")
	case <-time.After(10 * graceLook):
	}
	s.gate.Leave(netip.Addr{})
	<-left
}
