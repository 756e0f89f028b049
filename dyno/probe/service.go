package probe

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Service is what a sampler reads of something that the subject stands on, such as a
// database.
type Service struct {
	Name string
	PID  int // its first process; 0 of one that isn't ours
	// Read reads its own statistics, within the limit; nil if it has none. It is called
	// from another goroutine.
	Read func(limit time.Duration) (Reading, error)
}

// Reading is what a service tells of itself at one instant. Counters only grow.
type Reading struct {
	Counters map[string]float64 `json:"counters,omitempty"`
	Gauges   map[string]float64 `json:"gauges,omitempty"`
}

// ServiceWindow is what a service did between two snapshots.
type ServiceWindow struct {
	Name    string             `json:"name"`
	Process *Process           `json:"process,omitempty"` // nil of one that isn't ours
	Counted map[string]float64 `json:"counted,omitempty"` // by how much its counters grew
	Gauges  map[string]float64 `json:"gauges,omitempty"`  // at the window's end
	Length  time.Duration      `json:"length,omitempty"`  // between the two readings of the counters, ns
	Missing string             `json:"missing,omitempty"` // why there are no statistics, if there should be
	// Shared says that others had it too, in turns: Process is what it used up in the turns that
	// the window is made of. What it holds, and its statistics, are nobody's alone and not there.
	Shared bool `json:"shared,omitempty"`
	Again  bool `json:"restart,omitempty"` // a counter fell: it has started again, and there are none
}

// serviceProbe reads one service.
type serviceProbe struct {
	Service
	process *ProcessProbe // nil of one that isn't ours
}

// serviceTotals is what is read of a service at one instant.
type serviceTotals struct {
	process *ProcessTotals
	reading *Reading
	at      time.Time // of the reading
	err     error
}

func newServiceProbe(s Service) *serviceProbe {
	p := &serviceProbe{Service: s}
	if s.PID != 0 {
		p.process = NewProcess(s.PID)
	}
	return p
}

func (p *serviceProbe) close() {
	if p.process != nil {
		p.process.Close()
	}
}

// request reads the processes and begins to read the statistics. The function that it
// returns waits for these, and must be called.
func (p *serviceProbe) request() (collect func() serviceTotals) {
	var t serviceTotals
	if p.process != nil {
		if totals, err := p.process.Snapshot(); err == nil {
			t.process = &totals
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if p.Read == nil {
			return
		}
		r, err := p.Read(ScrapeTime)
		if t.at, t.err = time.Now(), err; err == nil {
			t.reading = &r
		}
	}()
	return func() serviceTotals {
		<-done // in time: the reading has a limit
		return t
	}
}

// between is what a service did between two readings.
func (p *serviceProbe) between(a, b *serviceTotals) ServiceWindow {
	w := ServiceWindow{Name: p.Name}
	if a.process != nil && b.process != nil {
		one := b.process.Since(*a.process)
		w.Process = &one
	}
	for _, t := range []*serviceTotals{a, b} {
		if t.err != nil {
			w.Missing = t.err.Error()
		}
	}
	if b.reading != nil {
		w.Gauges = b.reading.Gauges
	}
	if a.reading == nil || b.reading == nil {
		return w
	}
	w.Counted, w.Length = make(map[string]float64), b.at.Sub(a.at)
	for name, after := range b.reading.Counters {
		before, there := a.reading.Counters[name]
		if there && after < before {
			w.Counted, w.Again = nil, true
			return w
		}
		if there {
			w.Counted[name] = after - before
		}
	}
	return w
}

// ReadSeries reads a metrics endpoint in Prometheus' format and returns the sums, over
// all labels, of the series named. A series that isn't there is left out.
func ReadSeries(ctx context.Context, client *http.Client, url string, names []string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", metricsAccept)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s responded with %s, expected 200 OK", url, response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMetrics+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxMetrics {
		return nil, fmt.Errorf("the response of %s has more than %d bytes", url, maxMetrics)
	}
	return sumSeries(text, names)
}
