package load

// told counts a complete response by its status.
func (r *recorder) told(status int) { r.breakdown.count(status) }

// succeededKind records a complete response to a kind of request that is as
// expected, with its response time in ns.
func (r *recorder) succeededKind(of *wireRequest, response int64) {
	k := r.breakdown.kind(of.place)
	if k == nil {
		return
	}
	k.response.record(response)
	if r.draining {
		k.drained++
		return
	}
	k.completed++
}

// wrongKind records a complete response to a kind of request that is an error.
func (r *recorder) wrongKind(of *wireRequest, kind ErrorKind, response int64) {
	if k := r.breakdown.kind(of.place); k != nil {
		k.response.record(response)
		k.errors.Count(kind)
	}
}

// failedKind counts a request of a kind that got no usable response; of is nil if
// its kind was not decided yet.
func (r *recorder) failedKind(of *wireRequest, kind ErrorKind) {
	if of == nil {
		return
	}
	if k := r.breakdown.kind(of.place); k != nil {
		k.errors.Count(kind)
	}
}

// cutKind counts a request of a kind that nobody waits for any more; of is as in
// failedKind.
func (r *recorder) cutKind(of *wireRequest) {
	if of == nil {
		return
	}
	if k := r.breakdown.kind(of.place); k != nil {
		k.unfinished++
	}
}
