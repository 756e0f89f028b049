package load

import (
	"time"

	"dyno.example/dyno/load/internal/engine"
)

// fewOver is how few requests are too few to share out by what was used at the steps of a clock:
// one more or less at either end would be too much of it.
const fewOver = 30

// between is what was used from the beginning of a slice to an edge of it, on average of its loops: between the
// steps of the clock next to these, in proportion to the requests that were over between the steps and
// between the edges. Where these were few it is what the clock said at the edges, late by as much at either on average.
func between(loops []*engine.Edges, to func(*engine.Edges) engine.Edge) Portion {
	var used, over, read, due float64
	for _, e := range loops {
		end := to(e)
		used += float64(end.Used - e.Begin.Used)
		over += float64(end.Over - e.Begin.Over)
		read += float64(end.Read - e.Begin.Read)
		due += float64(end.Due - e.Begin.Due)
	}
	if n := float64(len(loops)); over < fewOver {
		used = read / n
	} else {
		used = used / n * due / over
	}
	return Portion{uint64(due), time.Duration(used)}
}

func endOf(e *engine.Edges) engine.Edge { return e.Ended }

func splitOf(e *engine.Edges) engine.Edge { return e.Apart }

// firstOf is the part of a slice before its split. It isn't known if it has too few requests for what they
// cost, or one of the loops slept across the split.
func firstOf(loops []*engine.Edges) Portion {
	for _, e := range loops {
		if e.Apart == (engine.Edge{}) {
			return Portion{}
		}
	}
	if p := between(loops, splitOf); p.Requests >= fewOver {
		return p
	}
	return Portion{}
}
