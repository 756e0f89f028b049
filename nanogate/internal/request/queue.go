package request

// Queue is where a request can wait for a place when a limit has none. The limit puts
// it into the reply that it returns ([Reply.Queue]); a caller that can't wait sends the
// reply, which refuses the request. Its methods may be called by any goroutine.
type Queue interface {
	// Enter queues a request from now, ns of [clock.Now], until a time at which the
	// caller calls Leave. ok is false if there is no room. The waiter may be called
	// before it returns.
	Enter(w Waiter, client int32, now int64) (ticket uint64, until int64, ok bool)
	// Leave removes a request that has ended or, if late, has waited for too long. It
	// reports whether the request was still in the queue: else the waiter has been
	// called, or is being called.
	Leave(ticket uint64, late bool) bool
	// Return gives a place back that was given to a request which isn't there any more.
	Return(now int64)
}

// Waiter receives the outcome of requests that it has queued.
type Waiter interface {
	// Called says that a request has its place, as if the limit had admitted it, or that
	// it won't have one. It neither blocks nor calls the queue.
	Called(q Queue, ticket uint64, client int32, admitted bool)
}
