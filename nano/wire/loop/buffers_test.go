package loop

import "testing"

func TestBuffers(t *testing.T) {
	s := Buffers{Fresh: 8, Largest: 16, Most: 2}
	for _, tt := range []struct {
		size int
		kept bool
	}{{7, false}, {8, true}, {16, true}, {17, false}, {0, false}} {
		s.spare = nil
		s.Give(make([]byte, 3, max(3, tt.size))[:min(3, tt.size)])
		if kept := len(s.spare) == 1; kept != tt.kept {
			t.Errorf("of %d bytes: kept %t", tt.size, kept)
		}
		if b := s.Take(); len(b) != 0 || cap(b) < 8 {
			t.Errorf("after one of %d bytes came one of %d, with %d in it", tt.size, cap(b), len(b))
		}
	}
	for range 3 {
		s.Give(make([]byte, 8))
	}
	if len(s.spare) != 2 {
		t.Errorf("%d are kept, of 2 at most", len(s.spare))
	}
}
