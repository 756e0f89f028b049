package engine

import (
	"dyno/lab/load/measure"
	"dyno/lab/load/request"
)

// told counts a complete response by its status.
func (r *Recorder) told(status int) { r.Breakdown.Count(status) }

// succeededKind records a complete response to a kind of request that is as
// expected, with its response time in ns.
func (r *Recorder) succeededKind(of *request.Compiled, response int64) {
	k := r.Breakdown.Kind(of.Place)
	if k == nil {
		return
	}
	k.Response.Record(response)
	if r.draining {
		k.Drained++
		return
	}
	k.Completed++
}

// wrongKind records a complete response to a kind of request that is an error.
func (r *Recorder) wrongKind(of *request.Compiled, kind measure.ErrorKind, response int64) {
	if k := r.Breakdown.Kind(of.Place); k != nil {
		k.Response.Record(response)
		k.Errors.Count(kind)
	}
}

// failedKind counts a request of a kind that got no usable response; of is nil if
// its kind was not decided yet.
func (r *Recorder) failedKind(of *request.Compiled, kind measure.ErrorKind) {
	if of == nil {
		return
	}
	if k := r.Breakdown.Kind(of.Place); k != nil {
		k.Errors.Count(kind)
	}
}

// cutKind counts a request of a kind that nobody waits for any more; of is as in
// failedKind.
func (r *Recorder) cutKind(of *request.Compiled) {
	if of == nil {
		return
	}
	if k := r.Breakdown.Kind(of.Place); k != nil {
		k.Unfinished++
	}
}
