package canary

import (
	"sync/atomic"

	"dyno.example/nanogate/internal/anytime"
	"dyno.example/nanogate/internal/request"
)

// Ticket is a request's place in one of the groups that are compared; the zero value is
// none.
type Ticket struct {
	tally *tally
	yes   bool // it is the canary's
}

// tally counts what becomes of the requests that were drawn at one share.
type tally struct {
	canary *Canary
	share  float64
	shards []shard // by loop
}

// shard is one loop's part: of the route's own requests and of the canary's.
type shard struct {
	requests, failed, slow [2]atomic.Uint64
	_                      [64]byte // the next one is another loop's cache line
}

// Side is what has become of one group's requests.
type Side struct {
	Requests uint64 `json:"requests"`
	Failed   uint64 `json:"failed"` // 5xx, gRPC calls whose status is the server's fault, incomplete responses
	Slow     uint64 `json:"slow"`
}

// Ended counts the request, and looks now and then at what has come of all of them.
func (t Ticket) Ended(o *request.Outcome) {
	if t.tally == nil {
		return
	}
	k := t.tally.canary
	s, side := &t.tally.shards[o.Loop%len(t.tally.shards)], 0
	if t.yes {
		side = 1
	}
	s.requests[side].Add(1)
	if o.Failed != request.ClientGone && (o.Failed != request.OK || o.Status >= 500 || o.Status == 0) {
		s.failed[side].Add(1)
	}
	if slow := k.Config.Rules.Slow; slow > 0 && o.Ended-o.Began >= int64(slow) {
		s.slow[side].Add(1)
	}
	if last := k.judged.Load(); o.Ended-last >= judgeEvery && k.judged.CompareAndSwap(last, o.Ended) {
		k.judge(o.Ended)
	}
}

// read sums up: the route's own requests, and the canary's.
func (t *tally) read() (sides [2]Side) {
	for i := range t.shards {
		for side := range sides {
			s := &t.shards[i]
			sides[side].Requests += s.requests[side].Load()
			sides[side].Failed += s.failed[side].Load()
			sides[side].Slow += s.slow[side].Load()
		}
	}
	return sides
}

// counts are the events of all steps of this run. k.mu is held.
func (k *Canary) counts() (sides [2]Side, failed, slow []anytime.Counts) {
	for _, t := range k.tallies {
		of := t.read()
		for i := range sides {
			sides[i].Requests += of[i].Requests
			sides[i].Failed += of[i].Failed
			sides[i].Slow += of[i].Slow
		}
		failed = append(failed, anytime.Counts{Share: t.share, Events: of[0].Failed + of[1].Failed, Group: of[1].Failed})
		slow = append(slow, anytime.Counts{Share: t.share, Events: of[0].Slow + of[1].Slow, Group: of[1].Slow})
	}
	return sides, failed, slow
}
