package explain

import (
	"fmt"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/pprof"
)

// Values of a profile of requests. Those of [ordinaryTime] are scaled to as many requests as are
// slow, so that the two can be held against each other.
var (
	slowTime     = pprof.Type{Name: "slow", Unit: "nanoseconds"}
	ordinaryTime = pprof.Type{Name: "ordinary", Unit: "nanoseconds"}
	moreTime     = pprof.Type{Name: "more", Unit: "nanoseconds"} // slow less ordinary; may be negative
)

// Profile is where the time of a trial's slow requests went, and that of the ordinary ones each
// of them is held against, on and off the CPU: stacks of the request's name, the stage and what
// there is to say of it, such as the system call or the other end. kinds are the requests'
// names by their places in the mix. It is nil if there are no slow or no ordinary requests.
func Profile(h *evidence.Header, records []evidence.Record, kinds []string) *pprof.Profile {
	one := trial{header: h, records: records}
	slow, ordinary := one.divided()
	if len(slow) == 0 || len(ordinary) == 0 {
		return nil
	}
	p := &profile{kinds: kinds, at: make(map[[4]string]*[2]float64)}
	m := newMatcher(ordinary)
	for i := range slow {
		w := weight(slow[i].Record)
		p.add(0, &slow[i], w)
		list := m.of(&slow[i]).list
		all := 0.0
		for k := range list {
			all += weight(list[k].Record)
		}
		for k := range list {
			p.add(1, &list[k], w*weight(list[k].Record)/all)
		}
	}
	return p.pprof()
}

// profile adds up times by stack: request, stage, reason and other end.
type profile struct {
	kinds []string
	order [][4]string
	at    map[[4]string]*[2]float64 // slow, ordinary
}

func (p *profile) add(column int, r *request, weight float64) {
	for i := range r.Intervals {
		v := &r.Intervals[i]
		key := [4]string{p.kind(r.Kind), string(v.Stage), v.Reason, peerName(v, r.header)}
		if v.By != nil && key[3] == "" {
			key[3] = v.By.Comm
		}
		sum := p.at[key]
		if sum == nil {
			sum = new([2]float64)
			p.at[key] = sum
			p.order = append(p.order, key)
		}
		sum[column] += weight * float64(v.To-v.From)
	}
}

func (p *profile) kind(place int) string {
	if place >= 0 && place < len(p.kinds) {
		return p.kinds[place]
	}
	return fmt.Sprintf("request %d of the mix", place+1)
}

func (p *profile) pprof() *pprof.Profile {
	out := &pprof.Profile{Types: []pprof.Type{ordinaryTime, moreTime, slowTime}} // readers show the last one first
	for _, key := range p.order {
		var stack []string
		for i := len(key) - 1; i >= 0; i-- {
			if key[i] != "" {
				stack = append(stack, key[i])
			}
		}
		sum := p.at[key]
		slow, ordinary := int64(sum[0]), int64(sum[1])
		out.Samples = append(out.Samples, pprof.Sample{Stack: stack, Values: []int64{ordinary, slow - ordinary, slow}})
	}
	return out
}
