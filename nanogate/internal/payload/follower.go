// Package payload is what the simulator and the storm have a gateway carry: content of which
// every byte is known, and a service whose requests come in JSON.
package payload

import (
	"bytes"
	"fmt"
)

// Follower holds content that comes in against what should.
type Follower struct {
	Want  []byte
	At    int    // how much has come, in bytes
	Wrong string // what was first wrong with it; "" if nothing is
}

// Take looks at the next bytes.
func (f *Follower) Take(p []byte) {
	if f.Wrong == "" {
		switch rest := f.Want[min(f.At, len(f.Want)):]; {
		case len(p) > len(rest):
			f.Wrong = fmt.Sprintf("more than the %d bytes that there are: %d and %d more", len(f.Want), f.At, len(p))
		case !bytes.Equal(p, rest[:len(p)]):
			f.Wrong = f.explain(p)
		}
	}
	f.At += len(p)
}

// explain says where bytes that are wrong come from.
func (f *Follower) explain(p []byte) string {
	same := 0
	for same < len(p) && p[same] == f.Want[f.At+same] {
		same++
	}
	head := p[same:min(len(p), same+24)]
	from := "which are of no place in it"
	if len(head) >= 8 {
		if i := bytes.Index(f.Want, head); i >= 0 {
			from = fmt.Sprintf("which are those of offset %d (%+d)", i, i-f.At-same)
		}
	}
	return fmt.Sprintf("at offset %d of %d bytes came %x, %s", f.At+same, len(f.Want), head, from)
}

// Ended says what is wrong with content that has come to its end, "" if nothing is.
func (f *Follower) Ended() string {
	if f.Wrong == "" && f.At != len(f.Want) {
		return fmt.Sprintf("whole after %d of %d bytes", f.At, len(f.Want))
	}
	return f.Wrong
}
