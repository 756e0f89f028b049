package limit

// Gauge is a number of a limit's state, for metrics and the admin API. Its name is one
// of a few.
type Gauge struct {
	Name  string
	Value float64
}

// Gauged is a limit that shows its state. Any goroutine may call it.
type Gauged interface {
	Name() string // its kind, as metrics have it
	Gauges() []Gauge
}

// Gauges are how many requests may be under way, how many are, and how many wait, if any
// may.
func (l *Concurrency) Gauges() []Gauge {
	all := []Gauge{{"places", float64(l.bound.Load())}, {"taken", float64(l.running.Load())}}
	if l.queue != nil {
		all = append(all, Gauge{"waiting", float64(l.queue.waiting.Load())})
	}
	return all
}

// Gauges says whether it is open: 1, or a half while probes pass.
func (b *Breaker) Gauges() []Gauge {
	b.mu.Lock()
	defer b.mu.Unlock()
	return []Gauge{{"open", [...]float64{closed: 0, open: 1, halfOpen: 0.5}[b.state]}}
}

// Gauges are whether the store is away, and how many gateways were there last.
func (s *Shared) Gauges() []Gauge {
	away := 0.0
	if s.Away() {
		away = 1
	}
	return []Gauge{{"away", away}, {"gateways", float64(s.peers.Load())}}
}

// Name is the limit's kind.
func (l *Concurrency) Name() string { return "concurrency" }

// Name is the limit's kind.
func (b *Breaker) Name() string { return "breaker" }

// Name is the limit's kind.
func (s *Shared) Name() string { return "shared" }
