package limit

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// service is a simulated service: so many requests at once, a time for each, and a queue
// for those that come meanwhile, on a clock of the test's.
type service struct {
	random   *rand.Rand
	takes    time.Duration // in the mean, exponential
	free     []int64       // when each of its servers is free
	under    outcomes      // requests under way
	now      int64
	took     []time.Duration
	ended    [request.Importances]int
	asked    [request.Importances]int
	admitted [request.Importances]int
}

type outcomes []request.Outcome

func (o outcomes) Len() int           { return len(o) }
func (o outcomes) Less(i, j int) bool { return o[i].Ended < o[j].Ended }
func (o outcomes) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }
func (o *outcomes) Push(x any)        { *o = append(*o, x.(request.Outcome)) }
func (o *outcomes) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// load offers requests of each importance, so many a second, for that long, and forgets
// what was counted before.
func (s *service) load(l Limit, d time.Duration, perSecond [request.Importances]float64) {
	s.took, s.ended, s.asked, s.admitted = nil, [request.Importances]int{}, [request.Importances]int{}, [request.Importances]int{}
	total := 0.0
	for _, rate := range perSecond {
		total += rate
	}
	r := &request.Request{}
	for end := s.now + int64(d); ; {
		s.now += int64(s.random.ExpFloat64() / total * 1e9)
		for len(s.under) > 0 && s.under[0].Ended <= s.now {
			o := heap.Pop(&s.under).(request.Outcome)
			s.took = append(s.took, time.Duration(o.Responded-o.Began))
			s.ended[o.Tries]++
			l.Done(&o)
		}
		if s.now >= end {
			return
		}
		at := s.random.Float64() * total
		for r.Importance = 0; at >= perSecond[r.Importance]; r.Importance++ {
			at -= perSecond[r.Importance]
		}
		r.Now = s.now
		s.asked[r.Importance]++
		if l.Check(r) != nil {
			continue
		}
		s.admitted[r.Importance]++
		first := 0
		for i := range s.free {
			if s.free[i] < s.free[first] {
				first = i
			}
		}
		s.free[first] = max(s.free[first], s.now) + int64(s.random.ExpFloat64()*float64(s.takes))
		// Its importance stands where the number of tries would.
		heap.Push(&s.under, request.Outcome{Began: s.now, Responded: s.free[first], Ended: s.free[first], Upstream: true, Status: 200, Tries: int(r.Importance)})
	}
}

func (s *service) perSecond(d time.Duration) float64 { return float64(len(s.took)) / d.Seconds() }

func (s *service) p99() time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)*99/100]
}

// At three times what a service can do, it does nearly all that it can, those that are
// served are served in time, the least important requests give way, and when the load is
// gone everybody is served again at once.
func TestShedAtThreeTimesTheCapacity(t *testing.T) {
	const capacity, objective = 2000.0, 100 * time.Millisecond
	s := &service{random: rand.New(rand.NewPCG(7, 8)), takes: 10 * time.Millisecond, free: make([]int64, 20), now: 1e9}
	l := NewShed(&config.Shed{Objective: objective, Least: 4, Most: 10_000})
	l.window.began.Store(s.now)
	calm := [request.Importances]float64{200, 600, 200, 10}
	s.load(l, 2*time.Second, calm)
	if s.asked != s.admitted {
		t.Errorf("of %v at half of the capacity %v were admitted", s.asked, s.admitted)
	}
	s.load(l, 2*time.Second, [request.Importances]float64{3000, 2000, 990, 10}) // to find the bound
	s.load(l, 5*time.Second, [request.Importances]float64{3000, 2000, 990, 10})
	if got := s.perSecond(5 * time.Second); got < 0.9*capacity {
		t.Errorf("at three times the capacity %.0f a second are served of %.0f", got, capacity)
	}
	if got := s.p99(); got > 2*objective {
		t.Errorf("who is admitted waits %v", got)
	}
	share := func(i request.Importance) float64 { return float64(s.admitted[i]) / float64(s.asked[i]) }
	if share(request.Critical) != 1 || share(request.High) < 0.97 || share(request.Low) > 0.05 || share(request.Normal) < 0.3 {
		t.Errorf("of %v were admitted %v: low %.2f, normal %.2f, high %.2f", s.asked, s.admitted, share(request.Low), share(request.Normal), share(request.High))
	}
	s.load(l, time.Second, calm)
	s.load(l, 3*time.Second, calm)
	if refused := s.asked[request.Low] - s.admitted[request.Low]; refused > s.asked[request.Low]/100 || s.p99() > objective {
		t.Errorf("a second after the load has gone %d of %d are refused, and others wait %v", refused, s.asked[request.Low], s.p99())
	}
}

// When all are of the same importance, it still finds how much can be done, and a service
// that has become slower is asked for less.
func TestShedOneImportance(t *testing.T) {
	for i := range request.Critical {
		s := &service{random: rand.New(rand.NewPCG(9, uint64(i))), takes: 10 * time.Millisecond, free: make([]int64, 20), now: 1e9}
		l := NewShed(&config.Shed{Objective: 100 * time.Millisecond, Least: 4, Most: 10_000})
		l.window.began.Store(s.now)
		var load [request.Importances]float64
		load[i] = 6000
		s.load(l, 2*time.Second, load)
		s.load(l, 3*time.Second, load)
		if got := s.perSecond(3 * time.Second); got < 1800 || s.p99() > 200*time.Millisecond {
			t.Errorf("%v: %.0f a second of 2000 are served, in up to %v", i, got, s.p99())
		}
		s.takes *= 4
		s.load(l, 3*time.Second, load)
		s.load(l, 5*time.Second, load)
		// One in twelve is late with no queue at all, which no queue can mend.
		if got := s.perSecond(5 * time.Second); got < 450 {
			t.Errorf("%v, four times slower: %.0f a second of 500 are served, in up to %v", i, got, s.p99())
		}
	}
}

// A bound of one lets one of any importance pass.
func TestShedAtLeastOne(t *testing.T) {
	l := NewShed(&config.Shed{Objective: time.Second, Least: 1, Most: 1})
	for i := range request.Importance(request.Importances) {
		r := &request.Request{Importance: i}
		if l.Check(r) != nil {
			t.Errorf("%v is refused by an idle service", i)
		}
		if a := l.Check(r); (a == nil) != (i == request.Critical) {
			t.Errorf("%v: the second one gets %+v", i, a)
		}
		if i == request.Critical {
			break
		}
		l.Done(&request.Outcome{})
	}
}
