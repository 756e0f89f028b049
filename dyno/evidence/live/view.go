package live

import (
	"cmp"
	"slices"
	"time"

	"dyno.example/dyno/evidence"
)

// View is what went on in an interval.
type View struct {
	Took        time.Duration // the interval
	Requests    int           // that ended in it
	Median, P99 time.Duration // from their first byte at the server to the last that it sent
	Open        int           // that were under way at its end without a byte of a response
	Oldest      time.Duration // for how long the oldest of these was
	Stages      []Stage       // those with the most time of the slowest requests first
	Slowest     int           // requests that Stages' Slow is of
	Drawn       int           // and All
	Connections []Connection  // those with the slowest requests first
	Incomplete  int           // requests of which events are missing
}

// Stage is how long requests waited for one thing, in the mean.
type Stage struct {
	Stage evidence.Stage
	All   time.Duration // of requests drawn at random
	Slow  time.Duration // of the slowest
	What  string        // what or whom the slowest waited for, of most of that time; may be empty
}

// Connection is what one connection's requests took.
type Connection struct {
	Name     string
	Requests int
	Mean     time.Duration
	Worst    time.Duration
	Most     evidence.Stage // the stage with most of the time of those that were looked at; empty if none was
}

// mostRows is how many connections a view names.
const mostRows = 10

// builder gathers a view.
type builder struct {
	times       []int64
	connections map[uint64]*connection
	slow, drawn []evidence.Record
	incomplete  int
}

// connection gathers one's figures.
type connection struct {
	name       string
	requests   int
	sum, worst int64
	budget     map[evidence.Stage]int64
}

func (b *builder) of(id uint64) *connection {
	if b.connections == nil {
		b.connections = make(map[uint64]*connection)
	}
	c := b.connections[id]
	if c == nil {
		c = &connection{budget: make(map[evidence.Stage]int64)}
		b.connections[id] = c
	}
	return c
}

// ended takes the requests that ended.
func (b *builder) ended(samples []evidence.Sample) {
	for i := range samples {
		took := samples[i].Done - samples[i].Intended
		b.times = append(b.times, took)
		c := b.of(samples[i].Connection)
		c.requests++
		c.sum += took
		c.worst = max(c.worst, took)
	}
}

// looked takes the record of one of them.
func (b *builder) looked(r *evidence.Record, slow bool) {
	if len(r.Incomplete) > 0 {
		b.incomplete++
	}
	c := b.of(r.ConnectionID)
	c.name = r.Connection
	for stage, took := range r.Budget() {
		c.budget[stage] += took
	}
	if slow {
		b.slow = append(b.slow, *r)
	} else {
		b.drawn = append(b.drawn, *r)
	}
}

func (b *builder) view(took time.Duration) View {
	v := View{Took: took, Requests: len(b.times), Slowest: len(b.slow), Drawn: len(b.drawn), Incomplete: b.incomplete}
	if n := len(b.times); n > 0 {
		slices.Sort(b.times)
		v.Median, v.P99 = time.Duration(b.times[n/2]), time.Duration(b.times[min(n-1, n*99/100)])
	}
	v.Stages = stages(b.drawn, b.slow)
	for _, c := range b.connections {
		if c.name == "" || c.requests == 0 {
			continue // none of its requests was looked at
		}
		v.Connections = append(v.Connections, Connection{c.name, c.requests, time.Duration(c.sum / int64(c.requests)), time.Duration(c.worst), largest(c.budget)})
	}
	slices.SortFunc(v.Connections, func(a, b Connection) int {
		return cmp.Or(cmp.Compare(b.Worst, a.Worst), cmp.Compare(a.Name, b.Name))
	})
	v.Connections = v.Connections[:min(len(v.Connections), mostRows)]
	return v
}

func largest(budget map[evidence.Stage]int64) (most evidence.Stage) {
	for _, stage := range evidence.Stages() {
		if budget[stage] > 0 && (most == "" || budget[stage] > budget[most]) {
			most = stage
		}
	}
	return most
}

// stages are the means of all stages that took any time.
func stages(drawn, slow []evidence.Record) (list []Stage) {
	all, tail := means(drawn), means(slow)
	for _, stage := range evidence.Stages() {
		if all[stage] > 0 || tail[stage] > 0 {
			list = append(list, Stage{stage, all[stage], tail[stage], detail(stage, slow)})
		}
	}
	slices.SortStableFunc(list, func(a, b Stage) int { return cmp.Compare(b.Slow, a.Slow) })
	return list
}

func means(records []evidence.Record) map[evidence.Stage]time.Duration {
	sums := make(map[evidence.Stage]time.Duration)
	for i := range records {
		for stage, took := range records[i].Budget() {
			sums[stage] += time.Duration(took)
		}
	}
	for stage := range sums {
		sums[stage] /= time.Duration(len(records))
	}
	return sums
}

// detail is what most of a stage's time was waited for: another server, a thread, a system
// call.
func detail(stage evidence.Stage, records []evidence.Record) (most string) {
	took := make(map[string]int64)
	for i := range records {
		for k := range records[i].Intervals {
			v := &records[i].Intervals[k]
			if v.Stage != stage {
				continue
			}
			what := cmp.Or(v.Peer, v.Reason)
			if v.By != nil {
				what = v.By.Comm
			}
			took[what] += v.To - v.From
		}
	}
	for what, t := range took {
		if best, ok := took[most]; !ok || t > best || t == best && what < most {
			most = what
		}
	}
	return most
}
