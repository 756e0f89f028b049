package cache

import "sync"

// Flight is a request that others like it wait for. All of its methods may be called by
// several loops at a time.
type Flight struct {
	of      *flights
	key     Key
	mu      sync.Mutex
	ended   bool
	waiters []*Waiter
}

// Waiter is one that waits.
type Waiter struct {
	flight *Flight
	wake   func(FlightResult)
}

// FlightResult is how a flight ended, for those that waited for it.
type FlightResult uint8

const (
	Private FlightResult = iota // the response can't be shared: each request is forwarded by itself
	Stored                      // look again: there is one
	Left                        // the client of the forwarded request has gone: one of those that wait is forwarded now
)

const (
	flightShards = 64
	mostPrivate  = 1024 // kinds of requests of a shard that are known not to be worth waiting for
)

// flights are those under way, and what isn't worth waiting for.
type flights struct {
	shards [flightShards]struct {
		mu      sync.Mutex
		under   map[Key]*Flight
		private map[Key]int64 // until when, ns
	}
}

func (f *flights) init() {
	for i := range f.shards {
		f.shards[i].under, f.shards[i].private = map[Key]*Flight{}, map[Key]int64{}
	}
}

// Flights is how many there are.
func (s *Store) Flights() (n int) {
	for i := range s.flights.shards {
		shard := &s.flights.shards[i]
		shard.mu.Lock()
		n += len(shard.under)
		shard.mu.Unlock()
	}
	return n
}

// Lead begins a flight for a kind of requests, or finds the one that is under way. Neither
// is there, and f is nil, while requests of that kind are known to get responses of their
// own each.
func (s *Store) Lead(key Key, now int64) (f *Flight, leads bool) {
	shard := &s.flights.shards[key[0]%flightShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if until, is := shard.private[key]; is {
		if now < until {
			return nil, false
		}
		delete(shard.private, key)
	}
	if f := shard.under[key]; f != nil {
		return f, false
	}
	f = &Flight{of: &s.flights, key: key}
	shard.under[key] = f
	return f, true
}

// Wait has wake called, once, when the flight ends, on any goroutine. It returns nil if as
// many wait as may, or the flight has ended.
func (f *Flight) Wait(most int, wake func(FlightResult)) (w *Waiter, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || len(f.waiters) >= most {
		return nil, f.ended
	}
	w = &Waiter{f, wake}
	f.waiters = append(f.waiters, w)
	return w, false
}

// Leave gives up waiting. wake may have been called.
func (w *Waiter) Leave() {
	w.flight.mu.Lock()
	defer w.flight.mu.Unlock()
	w.wake = nil
}

// End ends the flight. until is up to when requests of its kind don't wait for each other,
// if how says that there is no response for others; 0: they do.
func (f *Flight) End(how FlightResult, until int64) {
	shard := &f.of.shards[f.key[0]%flightShards]
	shard.mu.Lock()
	if shard.under[f.key] == f {
		delete(shard.under, f.key)
	}
	if how == Private && until != 0 {
		if len(shard.private) >= mostPrivate {
			clear(shard.private)
		}
		shard.private[f.key] = until
	}
	shard.mu.Unlock()
	f.mu.Lock()
	f.ended = true
	waiters := f.waiters
	f.waiters = nil
	f.mu.Unlock()
	for _, w := range waiters {
		f.mu.Lock()
		wake := w.wake
		f.mu.Unlock()
		if wake != nil {
			wake(how)
		}
	}
}

// FlightKey is the key of requests that can be collapsed: those for a URL by a route that
// have the same values in the fields that its responses are known to vary by. buf is
// scratch memory.
func (s *Store) FlightKey(key, route Key, known []byte, sent *UpstreamRequest, buf *[]byte) Key {
	if len(known) == 0 {
		return Key{key[0] ^ route[0], key[1] ^ route[1]}
	}
	*buf = appendSelecting((*buf)[:0], known, sent)
	of := s.KeyOf(*buf)
	return Key{key[0] ^ route[0] ^ of[0], key[1] ^ route[1] ^ of[1]}
}
