package runner

import (
	"cmp"
	"context"
	"slices"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/study"
)

// mostCalibrations bounds the ways of using the generator that are measured: each
// takes about a second.
const mostCalibrations = 8

// wire is what the generator's cost depends on: the protocol, and how many requests a
// connection has under way.
type wire struct {
	protocol string
	streams  int
	messages bool // WebSockets or server-sent events
	calls    bool // over gRPC
}

func wireOf(c *study.Cell) wire {
	calls := slices.ContainsFunc(c.SizedRequests(), func(r request.Request) bool { return r.GRPC != nil })
	return wire{c.Link.Protocol(), c.Link.Streams, c.Link.WebSocket != nil || c.Link.Events != nil, calls}
}

// calibrated is the result of one calibration.
type calibrated struct {
	wire   wire
	result *measure.Calibration // nil if there is none
	why    string               // there is none though one was wanted
}

// calibrations are those of a run, that of its fastest load first.
type calibrations []calibrated

// main is that of the run's fastest load, nil if there is none.
func (all calibrations) main() *measure.Calibration {
	if len(all) == 0 {
		return nil
	}
	return all[0].result
}

// of is that of a cell.
func (all calibrations) of(c *study.Cell) calibrated {
	for _, one := range all {
		if one.wire == wireOf(c) {
			return one
		}
	}
	return calibrated{}
}

// calibrate measures the generator as the run's loads will use it: for each protocol
// and number of streams as the fastest of them does.
func (e *execution) calibrate(ctx context.Context) calibrations {
	if e.runner.Calibrate == nil {
		return nil
	}
	var all calibrations
	for _, fastest := range fastestOfEach(e.plan.Cells) {
		one := calibrated{wire: wireOf(fastest)}
		if len(all) >= mostCalibrations {
			one.why = "the run has more ways of using connections than are measured before it"
		} else {
			link := request.Link{Streams: fastest.Link.Streams, WebSocket: fastest.Link.WebSocket, Events: fastest.Link.Events}
			result, err := e.runner.Calibrate(ctx, &load.Spec{Profile: fastest.Profile, Pacing: fastest.Pacing, CPUs: e.places.ofLoops(), Link: link, Requests: fastest.SizedRequests()})
			if one.result = result; err != nil {
				one.result, one.why = nil, err.Error()
			}
		}
		all = append(all, one)
	}
	return all
}

// fastestOfEach returns the cell with the highest rate for each wire, the fastest of
// all first.
func fastestOfEach(cells []study.Cell) []*study.Cell {
	var list []*study.Cell
	for i := range cells {
		c := &cells[i]
		at := slices.IndexFunc(list, func(o *study.Cell) bool { return wireOf(o) == wireOf(c) })
		switch {
		case at < 0:
			list = append(list, c)
		case c.Profile.TopRate() > list[at].Profile.TopRate():
			list[at] = c
		}
	}
	slices.SortStableFunc(list, func(a, b *study.Cell) int { return cmp.Compare(b.Profile.TopRate(), a.Profile.TopRate()) })
	return list
}
