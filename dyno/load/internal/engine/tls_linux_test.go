package engine

import "testing"

// TestWhatIsBeingSentStays: what TLS has to say of its own while a request is
// being sent, as in response to a key update, must not end up in its bytes.
func TestWhatIsBeingSentStays(t *testing.T) {
	l := &eventLoop{turn: 1}
	l.encryption.eventLoop = l
	s := &secured{now: &l.turn}
	write := func(text string) []byte {
		s.Write([]byte(text))
		return l.encryption.queue(s)
	}
	first, second, third := write("first"), write("second"), write("third") // in one turn
	l.turn++
	s.partly = true
	fourth := write("fourth")
	for i, got := range [][]byte{first, second, third, fourth} {
		if want := []string{"first", "second", "third", "fourth"}[i]; string(got) != want {
			t.Errorf("%q became %q", want, got)
		}
	}
	if len(s.kept) != 3 {
		t.Errorf("%d of the 3 before the last are kept", len(s.kept))
	}
	l.turn++
	s.partly = false
	if write("fifth"); len(s.kept) != 0 {
		t.Errorf("%d are kept of what is with the kernel", len(s.kept))
	}
}
