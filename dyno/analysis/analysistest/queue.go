package analysistest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Queue is a study of two subjects, "a" and "b", each a server that does one request at a
// time, simulated request by request: what disturbs it is injected, and what it would have
// been without is known.
type Queue struct {
	Mode    profile.Mode
	Costs   [2]time.Duration // of a request, on average
	Noise   float64          // of trials, on the log scale
	Length  time.Duration    // of a trial
	Blocks  int
	Disturb Disturbance
}

// Disturbance is what is injected.
type Disturbance struct {
	Name    finding.Name
	Of      [2]float64    // the share of each subject's trials that has it
	Share   float64       // of the time that it takes in all, up to
	Most    int           // in how many pieces, up to
	Beyond  float64       // how many times as much as is on record; 1: the record is right
	Stolen  float64       // the share of it that is in the subject's CPU time
	Bunched float64       // how much more or less of its system time a late request takes, up to
	Slower  float64       // by how much the CPUs were slower, up to; of cpu-speed, which stops nobody
	Apart   float64       // by how much the starts that have it cost more than the others, up to; of restart-plateau
	Lost    float64       // the share of the requests that were sent again, up to; of retransmits
	Coarse  time.Duration // by what the generator's timer goes, up to; of arrivals-off and lag-floor
}

// Of a request that is sent again: what it waits at least until it is, and at most.
const (
	leastResent = 200 * time.Millisecond
	mostResent  = 400 * time.Millisecond
)

const (
	queueConnections = 16
	queueLoad        = 0.5 // of a server's capacity, under a rate
	systemShare      = 0.4 // of a request's CPU time
)

// Runs are the study as it was disturbed and as it would have been.
func (q *Queue) Runs(seed uint64) (disturbed, clean *archive.Run) {
	p := profile.Profile{Mode: q.Mode, Connections: queueConnections}
	if q.Mode == profile.Open {
		p.Rate, p.Arrivals = queueLoad/max(q.Costs[0], q.Costs[1]).Seconds(), profile.Poisson
	}
	r := rand.New(rand.NewPCG(seed, 3))
	level := 1 + q.Disturb.Apart*(0.5+0.5*rand.New(rand.NewPCG(seed, 4)).Float64())
	disturbed = &archive.Run{Manifest: manifest(seed, []string{"a", "b"}, p)}
	disturbed.Manifest.Placement = archive.Placement{Mode: "split", Generator: []int{0}, Subject: []int{1}}
	disturbed.Manifest.Plan.Trials = slices.DeleteFunc(disturbed.Manifest.Plan.Trials, func(t study.PlannedTrial) bool { return t.Block >= q.Blocks })
	clean = &archive.Run{Manifest: disturbed.Manifest}
	for _, planned := range disturbed.Manifest.Plan.Trials {
		cost := float64(q.Costs[planned.Cell]) * math.Exp(q.Noise*r.NormFloat64())
		s := server{queue: q, rate: p.Rate, cost: cost, seed: r.Uint64()}
		hit := r.Float64() < q.Disturb.Of[planned.Cell]
		clean.Trials = append(clean.Trials, s.trial(planned, nil))
		var stops []stop
		by := 1.0
		switch {
		case q.Disturb.Apart > 0:
			if hit {
				s.cost *= level
			}
			s.levels = q.Disturb.Of[planned.Cell] > 0 // all of its starts are on one or the other
		case hit && q.Disturb.Lost > 0:
			s.lost = q.Disturb.Lost * (0.1 + 0.9*r.Float64())
		case hit && q.Disturb.Coarse > 0:
			s.coarse = float64(q.Disturb.Coarse) * (0.3 + 0.7*r.Float64())
		case hit && q.Disturb.Slower > 0:
			by += q.Disturb.Slower * (0.2 + 0.8*r.Float64())
			s.cost *= by
		case hit:
			stops = q.stops(r)
		}
		t := s.trial(planned, stops)
		if q.Disturb.Slower > 0 {
			read := []speed.Reading{{CPU: 1, Chain: 2 / by, Wide: 12 / by}}
			t.Speed = &archive.Speed{Before: read, After: read}
		}
		disturbed.Trials = append(disturbed.Trials, t)
	}
	return disturbed, clean
}

// stop is a time in which somebody was kept from work.
type stop struct{ from, to float64 }

// stops are the pieces of one trial's disturbance, in order and apart.
func (q *Queue) stops(r *rand.Rand) (list []stop) {
	pieces := 1 + r.IntN(max(q.Disturb.Most, 1))
	all := float64(q.Length) * q.Disturb.Share * (0.3 + 0.7*r.Float64())
	each := float64(q.Length) / float64(pieces)
	for i := range pieces {
		long := min(all/float64(pieces), each)
		from := float64(i)*each + r.Float64()*(each-long)
		list = append(list, stop{from, from + long})
	}
	return list
}

// server is one trial's.
type server struct {
	queue *Queue
	rate  float64
	cost  float64 // ns
	seed  uint64

	lost   float64 // share of requests
	coarse float64 // ns
	levels bool    // starts of the subject are on two levels
	ahead  int     // lost requests that were on their way at the end
}

// simulated is a request of a trial; ns from its beginning. It comes to the server when it is
// sent, or later if it was lost.
type simulated struct {
	due, sent, came, seen, work float64
	bunched                     bool // with the one before
}

func (s *server) trial(planned study.PlannedTrial, stops []stop) archive.Trial {
	var requests []simulated
	r := rand.New(rand.NewPCG(s.seed, 1))
	sender, worker := stops, stops
	switch s.queue.Disturb.Name {
	case finding.GeneratorStalled, finding.GeneratorGC, finding.GeneratorLate, finding.ArrivalsOff:
		worker = nil
	default:
		sender = nil
	}
	if s.queue.Mode == profile.Open {
		requests = s.underRate(r, sender, worker)
	} else {
		requests = s.closed(r, sender, worker)
	}
	return s.record(planned, requests, stops)
}

// work is that of a request.
func (s *server) work(r *rand.Rand) float64 { return s.cost * (0.5 + 0.5*r.ExpFloat64()) }

// underRate are the requests of an open loop, which come to the server in the order in which
// they get there.
func (s *server) underRate(r *rand.Rand, sender, worker []stop) (requests []simulated) {
	end, fate := float64(s.queue.Length), rand.New(rand.NewPCG(s.seed, 3))
	for due := r.ExpFloat64() / s.rate * 1e9; due < end; due += r.ExpFloat64() / s.rate * 1e9 {
		q := simulated{due: due, sent: after(due, sender), work: s.work(r)}
		if s.coarse > 0 {
			q.sent = math.Ceil(due/s.coarse) * s.coarse
			q.bunched = len(requests) > 0 && requests[len(requests)-1].sent == q.sent
		}
		q.came = q.sent + s.resent(fate)
		requests = append(requests, q)
	}
	order := make([]int, len(requests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(requests[a].came, requests[b].came) })
	free := 0.0
	for _, i := range order {
		q := &requests[i]
		free = worked(max(free, q.came), q.work, worker)
		q.seen = after(free, sender)
	}
	return requests
}

// closed are the requests of a closed loop that are over before its end.
func (s *server) closed(r *rand.Rand, sender, worker []stop) (requests []simulated) {
	fate := rand.New(rand.NewPCG(s.seed, 3))
	next := make([]simulated, queueConnections)
	for i := range next {
		next[i].came = s.resent(fate)
	}
	for free := 0.0; ; {
		c := 0
		for i := range next {
			if next[i].came < next[c].came {
				c = i
			}
		}
		q := next[c]
		q.work = s.work(r)
		free = worked(max(free, q.came), q.work, worker)
		if q.seen = after(free, sender); q.seen >= float64(s.queue.Length) {
			for i := range next {
				if next[i].came > next[i].sent {
					s.ahead++
				}
			}
			return requests
		}
		requests = append(requests, q)
		next[c] = simulated{due: q.seen, sent: q.seen, came: q.seen + s.resent(fate)}
	}
}

// resent is how much later a request comes to the server as it was sent again, mostly not at all.
func (s *server) resent(r *rand.Rand) float64 {
	if s.lost == 0 || r.Float64() >= s.lost {
		return 0
	}
	return float64(leastResent) + r.Float64()*float64(mostResent-leastResent)
}

// after is when what is due at an instant is done by one who stops.
func after(at float64, stops []stop) float64 {
	for _, s := range stops {
		if at >= s.from && at < s.to {
			return s.to
		}
	}
	return at
}

// worked is when work is done that begins at an instant.
func worked(at, work float64, stops []stop) float64 {
	for _, s := range stops {
		if s.to <= at {
			continue
		}
		if left := s.from - at; left >= work {
			break
		} else if left > 0 {
			work -= left
		}
		at = s.to
	}
	return at + work
}

// record is what is archived of the trial.
func (s *server) record(planned study.PlannedTrial, requests []simulated, stops []stop) archive.Trial {
	r := rand.New(rand.NewPCG(s.seed, 2))
	d := &s.queue.Disturb
	stopped, longest := 0.0, 0.0
	for _, one := range stops {
		stopped += one.to - one.from
		longest = max(longest, one.to-one.from)
	}
	w := measure.Window{Length: s.queue.Length, Offered: uint64(len(requests)), Sent: uint64(len(requests)), Health: &measure.Health{}}
	for clock := range w.Hist {
		w.Hist[clock] = measure.NewHistogram()
	}
	cpu, busy, spared, resent := d.Stolen*stopped, 0.0, 0.0, float64(s.ahead)
	for _, q := range requests {
		busy += q.work
		if late := q.seen - q.sent - q.work; q.bunched || q.came > q.sent || len(stops) > 0 && (q.sent-q.due > float64(measure.LateAfter) || late > longest/2) {
			spared += systemShare * q.work * d.Bunched * (2*r.Float64() - 1)
		}
		cpu += q.work
		if q.came > q.sent {
			resent++
		}
		if q.seen < float64(s.queue.Length) {
			w.Completed++
		} else {
			w.Drained++
		}
		if q.sent-q.due > float64(measure.LateAfter) {
			w.Late++
		}
		record(w.Hist[measure.Response], q.seen-q.due, 1)
		record(w.Hist[measure.Service], q.seen-q.sent, 1)
		record(w.Hist[measure.FirstByte], q.seen-q.sent, 1)
		record(w.Hist[measure.Lag], q.sent-q.due, 1)
	}
	sys := systemShare*cpu - spared
	cpu -= spared
	told := time.Duration(stopped / max(d.Beyond, 1))
	server := probe.Window{Length: s.queue.Length, Process: &probe.Process{CPU: time.Duration(cpu), CPUUser: time.Duration(cpu - sys), CPUSys: time.Duration(sys), RSS: 1 << 24, Threads: 1, OpenFiles: 20},
		Machine: &probe.Machine{CPUs: 2, Busy: time.Duration(cpu), TasksByCPU: []time.Duration{0, time.Duration(busy)}, Self: &probe.Self{}}}
	t := archive.Trial{PlannedTrial: planned, Status: archive.Complete, Started: began, Validity: finding.Valid}
	if s.levels || s.lost > 0 || s.coarse > 0 || len(stops) > 0 {
		switch d.Name {
		case finding.Retransmits:
			w.Resent = uint64(math.Ceil(resent / max(d.Beyond, 1)))
		case finding.GeneratorStalled:
			w.Away, w.Stall = told, time.Duration(longest/max(d.Beyond, 1))
		case finding.GeneratorGC:
			w.Health.GCPause = told
		case finding.Steal:
			w.Health.Steal = told
		case finding.OtherLoad:
			server.Machine.Busy += told
		}
		t.Validity = finding.Suspect
		t.Findings = []finding.Finding{{Name: d.Name, Validity: finding.Suspect, Detail: i18n.Verbatim(fmt.Sprint("injected: ", told))}}
	}
	t.Windows = []archive.Window{{Client: w, Server: server, Level: finding.Valid}}
	return t
}
