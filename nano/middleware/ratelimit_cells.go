package middleware

import "sync"

// cells remembers clients by the hash of their key: keys may be long and are
// chosen by clients. Two clients share a cell about never: the hash has 64 bits
// and a secret seed.
type cells struct {
	interval  int64 // ns between requests at the rate
	tolerance int64 // ns: how far ahead of the rate a client may be
	shards    [shards]shard
	perShard  int
}

const shards = 64

type shard struct {
	mu sync.Mutex
	// due is when a client that had kept to the rate would have made the requests
	// it has made. What lies in the past says nothing: the client is unknown.
	due map[uint64]int64
}

// verdict is the decision on a request.
type verdict struct {
	wait int64 // ns until it would be let in; 0: it is
	left int64 // further requests that would be let in now
	full int64 // ns until the client has all of its burst again
}

func (s *cells) init(interval, burst int64, clients int) {
	s.interval, s.tolerance = interval, interval*burst
	s.perShard = max(clients/shards, 1)
	for i := range s.shards {
		s.shards[i].due = map[uint64]int64{}
	}
}

// take decides about one request at now.
func (s *cells) take(key uint64, now int64) verdict {
	h := &s.shards[key%shards]
	h.mu.Lock()
	defer h.mu.Unlock()
	due, known := h.due[key]
	due = max(due, now)
	next := due + s.interval
	if ahead := next - now; ahead > s.tolerance {
		return verdict{wait: ahead - s.tolerance, full: due - now}
	}
	if !known {
		h.makeRoom(s.perShard, now)
	}
	h.due[key] = next
	return verdict{left: (s.tolerance - (next - now)) / s.interval, full: next - now}
}

// makeRoom forgets two clients of the past, if it meets any, and when there are
// too many the one of a few that is furthest from its limit. Go's maps begin to
// iterate anywhere.
func (h *shard) makeRoom(limit int, now int64) {
	looked, victim, earliest := 0, uint64(0), int64(0)
	for key, due := range h.due {
		if due <= now {
			delete(h.due, key)
		} else if looked == 0 || due < earliest {
			victim, earliest = key, due
		}
		if looked++; looked == 2 && len(h.due) < limit || looked == 8 {
			break
		}
	}
	if len(h.due) >= limit {
		delete(h.due, victim)
	}
}
