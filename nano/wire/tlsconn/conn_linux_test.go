package tlsconn

import (
	"errors"
	"sync"
	"testing"
)

// What TLS itself says is bounded; responses are not.
func TestUnaskedIsBounded(t *testing.T) {
	s := &Conn{spare: &sync.Pool{}}
	s.writes.Add(1)
	if _, err := s.Write(make([]byte, 2*mostUnasked)); err != nil {
		t.Fatal(err)
	}
	s.writes.Add(-1)
	reply := make([]byte, 27)
	for range mostUnasked / len(reply) {
		if _, err := s.Write(reply); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Write(reply); !errors.Is(err, errUnasked) {
		t.Errorf("got %v", err)
	}
	if got, want := len(s.Take()), 2*mostUnasked+mostUnasked/len(reply)*len(reply); got != want {
		t.Errorf("%d bytes to be sent, want %d", got, want)
	}
	if _, err := s.Write(reply); err != nil {
		t.Errorf("when all is taken: %v", err)
	}
}
