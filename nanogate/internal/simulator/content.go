//go:build linux

package simulator

import (
	"bytes"
	"fmt"

	"dyno.example/nano/wire/simulated"
)

// mostContent is how long a body is at most, in bytes.
const mostContent = 160 << 10

// pad is what all bodies are cut out of, at places that their numbers say.
var pad = func() []byte {
	r := simulated.Seeded(7)
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = byte(r.Next() >> 32)
	}
	return b
}()

// content is the body of n bytes that belongs to a request (by is 0), or to its response by
// an endpoint, and to no other one.
func content(id, by, n int) []byte {
	r := simulated.Seeded(uint64(id), uint64(by))
	at := r.Below(len(pad) - mostContent)
	return pad[at : at+n]
}

// follower holds what comes in against what should.
type follower struct {
	want  []byte
	at    int
	wrong string
}

// take looks at the next bytes.
func (f *follower) take(p []byte) {
	if f.wrong == "" {
		switch rest := f.want[min(f.at, len(f.want)):]; {
		case len(p) > len(rest):
			f.wrong = fmt.Sprintf("more than the %d bytes that there are: %d and %d more", len(f.want), f.at, len(p))
		case !bytes.Equal(p, rest[:len(p)]):
			f.wrong = f.explain(p)
		}
	}
	f.at += len(p)
}

// explain says where bytes that are wrong come from.
func (f *follower) explain(p []byte) string {
	same := 0
	for same < len(p) && p[same] == f.want[f.at+same] {
		same++
	}
	head := p[same:min(len(p), same+24)]
	from := "which are of no place in it"
	if len(head) >= 8 {
		if i := bytes.Index(f.want, head); i >= 0 {
			from = fmt.Sprintf("which are those of offset %d (%+d)", i, i-f.at-same)
		}
	}
	return fmt.Sprintf("at offset %d of %d bytes came %x, %s", f.at+same, len(f.want), head, from)
}

// ended says what is wrong with content that has come to its end, "" if nothing is.
func (f *follower) ended() string {
	if f.wrong == "" && f.at != len(f.want) {
		return fmt.Sprintf("whole after %d of %d bytes", f.at, len(f.want))
	}
	return f.wrong
}
