package limit

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// waiter notes what it is told.
type waiter struct{ told []string }

func (w *waiter) Called(_ request.Queue, _ uint64, client int32, admitted bool) {
	text := strconv.Itoa(int(client))
	if !admitted {
		text = "no " + text
	}
	w.told = append(w.told, text)
}

func (w *waiter) has(t *testing.T, what, want string) {
	t.Helper()
	if got := strings.Join(w.told, ", "); got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
	w.told = nil
}

func queued(places, size int, wait time.Duration) *Concurrency {
	return NewConcurrency(&config.Concurrency{Most: places, Least: 1, Queue: &config.Queue{Size: size, Wait: wait}})
}

// Requests have places in the order in which they came, and nobody overtakes.
func TestQueueOrder(t *testing.T) {
	l, w := queued(1, 2, time.Second), &waiter{}
	q := l.queue
	if l.Check(nil) != nil {
		t.Fatal("the first one is refused")
	}
	if a := l.Check(nil); a == nil || a.Queue != q || a.Status != 503 {
		t.Fatalf("the second one gets %+v", a)
	}
	first, until, ok := q.Enter(w, 1, 100)
	if !ok || until != 100+int64(time.Second) {
		t.Errorf("it may wait: %v, until %d", ok, until)
	}
	_, _, two := q.Enter(w, 2, 100)
	_, _, three := q.Enter(w, 3, 100)
	if !two || three {
		t.Errorf("of a queue for two the second has room: %v, the third: %v", two, three)
	}
	w.has(t, "while there is no place", "")
	if !q.Leave(first, false) || q.Leave(first, false) {
		t.Error("one leaves once")
	}
	if _, _, ok := q.Enter(w, 4, 100); !ok {
		t.Error("the first one's room isn't given to another")
	}
	if q.Leave(first, false) {
		t.Error("another in the first one's room leaves for it")
	}
	five, _, _ := q.Enter(w, 5, 100)
	if _, _, ok := q.Enter(w, 6, 100); ok || five != 0 {
		t.Error("there is room for three")
	}
	l.Done(&request.Outcome{Ended: 200})
	w.has(t, "with a place", "2")
	if l.Check(nil) == nil {
		t.Error("one that comes overtakes who waits")
	}
	l.Done(&request.Outcome{Ended: 300})
	w.has(t, "with another", "4")
	middle, _, _ := q.Enter(w, 7, 400)
	if last, _, ok := q.Enter(w, 8, 400); !ok || !q.Leave(last, true) || !q.Leave(middle, false) {
		t.Error("who waits last can't leave")
	}
	q.Return(400)
	if l.Check(nil) != nil {
		t.Error("a place that was given back isn't there")
	}
	if got, _ := l.Waits(); got != (Waits{Admitted: 2, Late: 1, Full: 3, Gone: 2, Waited: 300}) {
		t.Errorf("%+v", got)
	}
	if _, ok := NewConcurrency(&config.Concurrency{Most: 1}).Waits(); ok {
		t.Error("there is a queue without one")
	}
}

// A place that becomes free before a request is in the queue isn't missed.
func TestQueueNotMissed(t *testing.T) {
	l, w := queued(1, 2, time.Second), &waiter{}
	l.Check(nil)
	reply := l.Check(nil)
	l.Done(&request.Outcome{Ended: 1})
	reply.Queue.Enter(w, 7, 2)
	w.has(t, "after the place became free", "7")
}

// In a queue that stands those that have waited for long make room, but for the last.
func TestQueueStanding(t *testing.T) {
	const ms = int64(time.Millisecond)
	l, w := queued(1, 10, 100*time.Millisecond), &waiter{}
	l.Check(nil)
	for client, at := range []int64{0, 50 * ms, 95 * ms, 101 * ms} {
		l.queue.Enter(w, int32(client), at)
	}
	l.Done(&request.Outcome{Ended: 60 * ms})
	w.has(t, "in a queue that has just begun", "0")
	l.Done(&request.Outcome{Ended: 104 * ms})
	w.has(t, "in one that stands", "no 1, 2")
	l.Done(&request.Outcome{Ended: 190 * ms})
	w.has(t, "the last one", "3")
	l.queue.Enter(w, 4, 200*ms)
	l.queue.Enter(w, 5, 201*ms)
	l.Done(&request.Outcome{Ended: 250 * ms})
	w.has(t, "in one that was empty", "4")
	if got, _ := l.Waits(); got.Late != 1 || got.Admitted != 4 {
		t.Errorf("%+v", got)
	}
}

// simulated is a service behind a queue, on a clock of the test's.
type simulated struct {
	l       *Concurrency
	random  *rand.Rand
	now     int64
	came    []int64 // by client
	ends    outcomes
	leaving []leaving
	waits   []time.Duration // until requests were admitted
	refused int
}

type leaving struct {
	at     int64
	ticket uint64
}

const meanService = 10 * time.Millisecond

func (s *simulated) Called(_ request.Queue, _ uint64, client int32, admitted bool) {
	if !admitted {
		s.refused++
		return
	}
	s.begin(s.came[client])
}

func (s *simulated) begin(came int64) {
	s.waits = append(s.waits, time.Duration(s.now-came))
	heap.Push(&s.ends, request.Outcome{Began: came, Ended: s.now + int64(s.random.ExpFloat64()*float64(meanService))})
}

// offer has requests come, so many a second, for that long.
func (s *simulated) offer(rate float64, d time.Duration) {
	s.waits, s.refused = nil, 0
	for end, next := s.now+int64(d), s.now; s.now < end; {
		at, what := next, 0
		if len(s.ends) > 0 && s.ends[0].Ended < at {
			at, what = s.ends[0].Ended, 1
		}
		if len(s.leaving) > 0 && s.leaving[0].at < at {
			at, what = s.leaving[0].at, 2
		}
		s.now = at
		switch what {
		case 0:
			next += int64(s.random.ExpFloat64() / rate * 1e9)
			s.came = append(s.came, s.now)
			reply := s.l.Check(nil)
			if reply == nil {
				s.begin(s.now)
			} else if ticket, until, ok := reply.Queue.Enter(s, int32(len(s.came)-1), s.now); ok {
				s.leaving = append(s.leaving, leaving{until, ticket})
			} else {
				s.refused++
			}
		case 1:
			o := heap.Pop(&s.ends).(request.Outcome)
			s.l.Done(&o)
		case 2:
			if s.l.queue.Leave(s.leaving[0].ticket, true) {
				s.refused++
			}
			s.leaving = s.leaving[1:]
		}
	}
}

// At three times the capacity the service is busy all the time, and what is served hasn't
// waited for long; below its capacity nearly nobody is refused.
func TestQueueAtThreeTimesTheCapacity(t *testing.T) {
	const places, wait = 10, 200 * time.Millisecond
	s := &simulated{l: queued(places, 1000, wait), random: rand.New(rand.NewPCG(1, 2))}
	capacity := places / meanService.Seconds()
	for _, c := range []struct {
		name           string
		rate           float64
		served         float64       // of the capacity, at least
		refused        float64       // of what came, at most
		median, almost time.Duration // that the served waited
	}{
		{"less than there is", 0.8, 0.75, 0.001, 10 * time.Millisecond, 60 * time.Millisecond},
		{"three times as much", 3, 0.97, 0.70, 25 * time.Millisecond, 60 * time.Millisecond},
		{"less again", 0.8, 0.75, 0.01, 10 * time.Millisecond, 60 * time.Millisecond},
	} {
		const d = 20 * time.Second
		s.offer(capacity*c.rate, d)
		slices.Sort(s.waits)
		median, almost := s.waits[len(s.waits)/2], s.waits[len(s.waits)*99/100]
		served := float64(len(s.waits)) / (capacity * d.Seconds())
		refused := float64(s.refused) / float64(s.refused+len(s.waits))
		t.Logf("%s: %.2f of the capacity, %.3f refused, waits %v, %v", c.name, served, refused, median, almost)
		if served < c.served || refused > c.refused || median > c.median || almost > c.almost {
			t.Errorf("%s: %.2f of the capacity, %.3f refused, waits %v, %v", c.name, served, refused, median, almost)
		}
	}
}

// one waits on a goroutine.
type one chan bool

func (o one) Called(_ request.Queue, _ uint64, _ int32, admitted bool) { o <- admitted }

// Whatever happens at the same time, no place is lost and none given twice.
func TestQueueBesideEachOther(t *testing.T) {
	const places, each = 2, 2000
	l := queued(places, 100, time.Hour)
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			w := make(one, 1)
			for i := range each {
				if reply := l.Check(nil); reply != nil {
					ticket, _, ok := reply.Queue.Enter(w, int32(g), 0)
					if !ok {
						t.Error("the queue is full")
						return
					}
					if i%16 == 0 && reply.Queue.Leave(ticket, false) {
						continue
					}
					if admitted := <-w; !admitted {
						t.Error("one is refused")
						return
					}
					if i%7 == 0 {
						reply.Queue.Return(0)
						continue
					}
				}
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				inside.Add(-1)
				l.Done(&request.Outcome{})
			}
		})
	}
	all.Wait()
	if most.Load() > places {
		t.Errorf("%d at once, of %d", most.Load(), places)
	}
	if running := l.running.Load(); running != 0 || l.queue.waiting.Load() != 0 {
		t.Errorf("%d places are taken by nobody, %d wait", running, l.queue.waiting.Load())
	}
}

// silent is told and does nothing.
type silent struct{}

func (silent) Called(request.Queue, uint64, int32, bool) {}

func TestQueueAllocatesNothing(t *testing.T) {
	l := queued(1, 16, time.Second)
	l.Check(nil)
	var w request.Waiter = silent{}
	if n := testing.AllocsPerRun(1000, func() {
		reply := l.Check(nil)
		reply.Queue.Enter(w, 1, 0)
		l.Done(&request.Outcome{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
