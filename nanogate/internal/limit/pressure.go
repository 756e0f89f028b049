package limit

import "dyno.example/nanogate/internal/request"

// Pressure decides which requests are shed when the gateway itself is overloaded, the
// least important first. A queue that is there for a moment is a burst; one that doesn't
// go away for a whole interval is overload (CoDel, RFC 8289). How much is then admitted
// follows from how much has been admitted and by how much the queue has grown meanwhile,
// and from which importance on, from how many requests of each there were (as the
// admission levels of DAGOR, Zhou et al. 2018). The zero value is ready. It belongs to
// one loop.
type Pressure struct {
	level  float64 // what is shed. 0: nothing; 1: all that is low; 2: all that is normal too; 3: all but what is critical
	least  int64   // the shortest queue of the interval, ns
	last   int64   // that of the interval before
	until  int64   // when the interval ends
	asked  [request.Importances]float64
	passed float64
}

const pressureEvery = int64(1e8) // ns of an interval

// Observe notes how long the queue is, in time: a request that came now would wait so
// long. over says that something else is over its bound too, such as memory.
func (p *Pressure) Observe(queue, now, most int64, over bool) {
	if p.until == 0 || now > p.until+10*pressureEvery { // nothing was seen for long
		*p = Pressure{until: now + pressureEvery, least: queue, last: queue}
	}
	p.least = min(p.least, queue)
	if now < p.until {
		return
	}
	took := float64(now - p.until + pressureEvery)
	may := p.passed
	switch {
	case over:
		may *= 0.8
	case most > 0 && p.least > most:
		// What passed was the work of the interval and of what the queue has grown by. A
		// fifth of what the queue is too long by is to go in the next interval.
		grown := max(float64(p.least-p.last), -took/2)
		may *= took / (took + grown) * (1 - min(0.5, float64(p.least-most)/took/5))
	default:
		may *= 1.1
	}
	p.level = p.levelFor(may)
	p.until, p.least, p.last = now+pressureEvery, 1<<63-1, p.least
	p.asked, p.passed = [request.Importances]float64{}, 0
}

// levelFor is the level at which the fraction may of the requests passes.
func (p *Pressure) levelFor(may float64) float64 {
	excess := -may
	for _, n := range p.asked {
		excess += n
	}
	level := 0.0
	for _, n := range p.asked[:request.Critical] {
		if excess <= 0 {
			break
		}
		if excess < n {
			return level + excess/n
		}
		excess -= n
		level++
	}
	return level
}

// Sheds reports whether a request is turned away. random is a number from 0 up to 1.
func (p *Pressure) Sheds(i request.Importance, random float64) bool {
	p.asked[i]++
	if p.level > 0 && p.level-float64(i) > random {
		return true
	}
	p.passed++
	return false
}
