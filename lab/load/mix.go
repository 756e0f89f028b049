package load

import "math/rand/v2"

// mix chooses among requests by weight, the same way for the same seed. It
// belongs to one loop.
type mix struct {
	requests []wireRequest
	upto     []uint64 // cumulative weights
	rng      *rand.Rand
}

// newMix returns a loop's mix of requests, which were checked.
func newMix(requests []Request, host string, seed uint64, part int) *mix {
	m := &mix{rng: rand.New(rand.NewPCG(seed, 1<<32+uint64(part)))}
	total := uint64(0)
	for _, r := range requests {
		w, err := compile(r, host)
		if err != nil {
			panic("load: a request that was not checked: " + err.Error())
		}
		total += uint64(max(r.Weight, 1))
		m.requests = append(m.requests, w)
		m.upto = append(m.upto, total)
	}
	return m
}

// next starts the exchange of the next request at instant now (CLOCK_MONOTONIC,
// ns) and returns the bytes to send. They are valid until the exchange's next
// one, and must not be changed: constant requests share theirs.
func (m *mix) next(x *exchange, now int64) (wire []byte) {
	r := m.choose()
	x.start(r)
	return r.constant
}

func (m *mix) choose() *wireRequest {
	if len(m.requests) == 1 {
		return &m.requests[0]
	}
	at := m.rng.Uint64N(m.upto[len(m.upto)-1])
	for i, upto := range m.upto {
		if at < upto {
			return &m.requests[i]
		}
	}
	panic("load: weights don't add up")
}
