//go:build linux

package simulator

import (
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
