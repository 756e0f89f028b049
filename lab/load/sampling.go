package load

import (
	"math"

	"dyno/lab/load/profile"
)

// Samples of one loop in a window: as every how many are chosen, and at most.
const (
	sendsAWindow = 512
	sendsKept    = 1024
)

// sends is a loop's sample of the instants at which it sent, in a slot.
type sends struct {
	at   []int64 // CLOCK_MONOTONIC, ns, in order
	lost bool    // more than there is room for
}

// sampling says which sendings a recorder samples.
type sampling struct {
	every int // 0: none
	next  int // sendings until the next sample
}

// sampleEvery returns k for a loop that sends one of so many parts of the load;
// 0 if there is no schedule to hold it to.
func sampleEvery(p *profile.Profile, parts int) int {
	if p.Mode != profile.Open {
		return 0
	}
	return int(math.Ceil(p.TopRate() / float64(parts) / sendsAWindow))
}

// sampleEvery makes r sample every k-th sending from now on.
func (r *recorder) sampleEvery(k int) { r.sampling = sampling{every: k, next: k} }

// sent counts a request handed to the kernel at instant now. Loops call it in
// the order of the schedule. It allocates nothing.
func (r *recorder) sent(now int64) {
	r.Sent++
	if r.draining {
		r.SentLate++
		return // the schedule has ended
	}
	if r.sampling.next--; r.sampling.next == 0 {
		r.sample(now)
	}
}

func (r *recorder) sample(now int64) {
	r.sampling.next = r.sampling.every
	if len(r.sends.at) == sendsKept {
		r.sends.lost = true
		return
	}
	r.sends.at = append(r.sends.at, now)
}
