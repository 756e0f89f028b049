package engine

import (
	"math"

	"dyno.example/dyno/load/profile"
)

// Samples of one loop in a window: as every how many are chosen, and at most.
const (
	sendsAWindow = 512
	SendsKept    = 1024
)

// Sends is a loop's sample of the instants at which it sent, in a slot.
type Sends struct {
	At   []int64 // CLOCK_MONOTONIC, ns, in order
	Lost bool    // more than there is room for
}

// sampling says which sendings a recorder samples.
type sampling struct {
	every int // 0: none
	next  int // sendings until the next sample
}

// SampleEvery returns k for a loop that sends one of so many parts of the load;
// 0 if there is no schedule to hold it to.
func SampleEvery(p *profile.Profile, parts int) int {
	if p.Mode != profile.Open {
		return 0
	}
	return int(math.Ceil(p.TopRate() / float64(parts) / sendsAWindow))
}

// SampleEvery makes r sample every k-th sending from now on.
func (r *Recorder) SampleEvery(k int) { r.sampling = sampling{every: k, next: k} }

// SentAt counts a request handed to the kernel at instant now. Loops call it in
// the order of the schedule. It allocates nothing.
func (r *Recorder) SentAt(now int64) {
	r.Sent++
	if r.draining {
		r.SentLate++
		return // the schedule has ended
	}
	if r.sampling.next--; r.sampling.next == 0 {
		r.sample(now)
	}
}

func (r *Recorder) sample(now int64) {
	r.sampling.next = r.sampling.every
	if len(r.Sends.At) == SendsKept {
		r.Sends.Lost = true
		return
	}
	r.Sends.At = append(r.Sends.At, now)
}
