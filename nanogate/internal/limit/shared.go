package limit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Ledger is where gateways beside each other sum up what they have admitted: a bucket a
// key, that of all of them. It is called by one goroutine at a time.
type Ledger interface {
	// Settle takes from each entry's bucket what was admitted, and sets how far it is
	// then ahead of its rate ([Entry.Ahead]).
	Settle(ctx context.Context, entries []Entry) error
	// Peers notes that this gateway is there, and returns how many are.
	Peers(ctx context.Context) (int, error)
	Close()
}

// Entry is what is settled of one key.
type Entry struct {
	Key   [16]byte
	N     int           // requests admitted since the last time
	Age   time.Duration // since the first of them
	Ahead time.Duration // then: until the bucket is full again
}

// Shared is a rate that gateways beside each other keep together. Each has buckets of its
// own, decides by them at once, and settles what it has admitted with a ledger beside the
// path: when others have admitted too, its bucket is as empty as theirs together from
// then on, and what was admitted beyond the rate is missing later. G gateways admit
// within a time T at most
//
//	rate·T + G·(burst + 1 + rate·d)
//
// with d the time until what was admitted is settled: the rate is kept, but each gateway
// may admit a burst before it knows of the others'. Without the ledger each keeps its
// share of the rate, or what the rules say.
type Shared struct {
	Rate
	rules  config.Redis
	name   string
	ledger Ledger
	ctx    context.Context // of settling
	stop   context.CancelFunc
	ended  sync.WaitGroup
	kick   chan struct{}
	soon   int32 // requests of one key after which it is settled soon
	share  atomic.Int64
	away   atomic.Bool
	peers  atomic.Int64
	closed *request.Reply

	owed    [16]owed
	entries []Entry // of the settling goroutine
	batch   map[key]debt
}

// owed is what was admitted and isn't settled, by key.
type owed struct {
	mu   sync.Mutex
	keys map[key]debt
}

type debt struct {
	n     int32
	first int64 // when the first was admitted, ns of [clock.Now]
}

const (
	settleSoonest = 5 * time.Millisecond // between two settlements, however many are in a hurry
	peersEvery    = time.Second
)

// NewShared makes the limit. name is for the log. Nothing is settled before [Shared.Start].
func NewShared(name string, rules config.Rate, ledger Ledger) *Shared {
	s := &Shared{
		Rate: *NewRate(rules), rules: *rules.Redis, name: name, ledger: ledger, kick: make(chan struct{}, 1),
		soon: int32(max(1, rules.Burst/8)), batch: map[key]debt{},
		closed: request.Refuse(503, "the rate limit can't be checked at the moment", "Retry-After: 1\r\n").For(request.RefusedRateAway),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.Rate.common = true
	s.share.Store(1)
	s.peers.Store(1)
	for i := range s.owed {
		s.owed[i].keys = map[key]debt{}
	}
	return s
}

// Start begins to settle.
func (s *Shared) Start() { s.ended.Go(func() { s.run(s.ctx) }) }

// Check takes a token of this gateway's bucket.
func (s *Shared) Check(r *request.Request) *request.Reply {
	if s.rules.Away == config.AwayRefuse && s.away.Load() {
		return s.closed
	}
	k := s.key(r)
	if wait := s.buckets.takeShare(k, r.Now, s.share.Load()); wait > 0 {
		return s.late.in(wait)
	}
	if s.owe(k, r.Now) {
		select {
		case s.kick <- struct{}{}:
		default:
		}
	}
	return nil
}

// owe notes a request that is to be settled. It reports whether that should be soon.
func (s *Shared) owe(k key, now int64) bool {
	o := &s.owed[k.part(len(s.owed))]
	o.mu.Lock()
	defer o.mu.Unlock()
	d := o.keys[k]
	if d.n == 0 {
		if len(o.keys) >= s.buckets.parts[0].most { // more than are counted one by one: it isn't settled
			return false
		}
		d.first = now
	}
	d.n++
	o.keys[k] = d
	return d.n == s.soon
}

// run settles now and then until ctx ends.
func (s *Shared) run(ctx context.Context) {
	timer := time.NewTimer(s.rules.Every)
	defer timer.Stop()
	counted := int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.kick:
			select {
			case <-ctx.Done():
				return
			case <-time.After(settleSoonest):
			}
		}
		due, cancel := context.WithTimeout(ctx, s.rules.Timeout)
		err := s.settle(due, clock.Now)
		if now := clock.Now(); err == nil && (counted == 0 || now-counted >= int64(peersEvery)) {
			err = s.count(due)
			counted = now
		}
		cancel()
		if ctx.Err() == nil {
			s.note(err)
		}
		if timer.Reset(s.rules.Every); err != nil {
			counted = 0 // settle again at once
		}
	}
}

// settle settles all that is owed. now is the time, which goes on meanwhile.
func (s *Shared) settle(ctx context.Context, now func() int64) error {
	s.gather()
	sent := now()
	s.entries = s.entries[:0]
	for k, d := range s.batch {
		e := Entry{N: int(d.n), Age: time.Duration(sent - d.first)}
		binary.BigEndian.PutUint64(e.Key[:8], k[0])
		binary.BigEndian.PutUint64(e.Key[8:], k[1])
		s.entries = append(s.entries, e)
	}
	if len(s.entries) == 0 {
		return nil
	}
	if err := s.ledger.Settle(ctx, s.entries); err != nil {
		s.giveBack(now())
		return err
	}
	for i := range s.entries {
		e := &s.entries[i]
		k := key{binary.BigEndian.Uint64(e.Key[:8]), binary.BigEndian.Uint64(e.Key[8:])}
		s.buckets.learn(k, sent+int64(e.Ahead)+int64(s.since(k))*s.buckets.every, now())
	}
	clear(s.batch)
	return nil
}

// gather takes what is owed into the batch.
func (s *Shared) gather() {
	for i := range s.owed {
		o := &s.owed[i]
		o.mu.Lock()
		for k, d := range o.keys {
			s.batch[k] = d
		}
		clear(o.keys)
		o.mu.Unlock()
	}
}

// giveBack makes what couldn't be settled owed again, but for what is of no effect any
// more, since the bucket is full again.
func (s *Shared) giveBack(now int64) {
	for k, d := range s.batch {
		if d.first+int64(d.n)*s.buckets.every <= now {
			continue
		}
		o := &s.owed[k.part(len(s.owed))]
		o.mu.Lock()
		d.n += o.keys[k].n
		o.keys[k] = d
		o.mu.Unlock()
	}
	clear(s.batch)
}

// since is what of a key is owed since it was settled.
func (s *Shared) since(k key) int32 {
	o := &s.owed[k.part(len(s.owed))]
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.keys[k].n
}

// count finds out how many gateways there are.
func (s *Shared) count(ctx context.Context) error {
	n, err := s.ledger.Peers(ctx)
	if err == nil {
		s.peers.Store(int64(max(1, n)))
	}
	return err
}

// note notes whether the ledger is there, and says so when that has changed.
func (s *Shared) note(err error) {
	away := err != nil
	if away == s.away.Load() {
		return
	}
	share := int64(1)
	if away && s.rules.Away == config.AwayShare {
		share = s.peers.Load()
	}
	s.share.Store(share)
	s.away.Store(away)
	if away {
		slog.Warn("the store of a limit is away", "limit", s.name, "address", s.rules.Address, "gateways", s.peers.Load(), "error", err)
		return
	}
	slog.Info("the store of a limit is back", "limit", s.name, "address", s.rules.Address, "gateways", s.peers.Load())
}

// Away reports whether the ledger can't be reached at the moment.
func (s *Shared) Away() bool { return s.away.Load() }

// Close ends settling. What is still owed is settled once more.
func (s *Shared) Close() {
	s.stop()
	go func() { // a change of the configuration doesn't wait for Redis
		s.ended.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), s.rules.Timeout)
		defer cancel()
		_ = s.settle(ctx, clock.Now) // best effort
		s.ledger.Close()
	}()
}

// commonSum is a sum of a text that all gateways have in common.
func commonSum(value []byte) key {
	sum := sha256.Sum256(value)
	return key{binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]) | 1}
}
