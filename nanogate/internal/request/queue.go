package request

// Queue is where a request can wait for a place that a limit has none of at the moment.
// The limit puts it into the reply that it returns ([Reply.Queue]); whoever doesn't
// know of it gives that answer, so that what can't wait is refused. Its methods may be
// called by any goroutine.
type Queue interface {
	// Enter has a request wait from now, ns of [clock.Now], until a time at most, when
	// the caller has it leave. ok is false if there is no room. The waiter may be told
	// before it returns.
	Enter(w Waiter, client int32, now int64) (ticket uint64, until int64, ok bool)
	// Leave takes a request out that nobody waits for any more; late says that it has
	// waited for too long. It reports whether the request was in the queue still: else
	// the waiter has been told, or is being told, what became of it.
	Leave(ticket uint64, late bool) bool
	// Return gives a place back that was given to a request which isn't there any more.
	Return(now int64)
}

// Waiter is told what became of requests that it has put into a queue.
type Waiter interface {
	// Called says that a request has its place, as if the limit had admitted it, or that
	// it won't have one. It neither blocks nor calls the queue.
	Called(q Queue, ticket uint64, client int32, admitted bool)
}
