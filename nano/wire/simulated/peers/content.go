//go:build linux

package peers

import "dyno.example/nano/wire/simulated"

// cut is how much of a content is in one place, in bytes.
const cut = 160 << 10

// pad is what all contents are cut out of, at places that their numbers say.
var pad = func() []byte {
	r := simulated.Seeded(7)
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = byte(r.Next() >> 32)
	}
	return b
}()

// Content is the body of n bytes that belongs to a request (by is 0), or to its response by
// somebody, and to no other one. It may only be read.
func Content(id, by, n int) []byte {
	r := simulated.Seeded(uint64(id), uint64(by))
	at := r.Below(len(pad) - cut)
	if n <= cut {
		return pad[at : at+n : at+n]
	}
	b := make([]byte, 0, n)
	for len(b) < n {
		b = append(b, pad[at:at+min(n-len(b), cut)]...)
		at = r.Below(len(pad) - cut)
	}
	return b
}
