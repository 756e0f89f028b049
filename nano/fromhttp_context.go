package nano

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// requestContext is the context of a mounted handler's request. That of the
// exchange costs a lock that all loops share, and few handlers look at it: it is
// made when it is first asked for. Any goroutine may ask, also when the request
// is over.
type requestContext struct {
	b    *bridge
	mu   sync.Mutex
	made context.Context
	over bool
}

func (r *requestContext) get() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made == nil {
		if r.over {
			return ended
		}
		r.made = r.b.x.context()
	}
	return r.made
}

// end is called before the exchange ends.
func (r *requestContext) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

func (r *requestContext) Deadline() (time.Time, bool) { return r.get().Deadline() }

func (r *requestContext) Done() <-chan struct{} { return r.get().Done() }

func (r *requestContext) Err() error { return r.get().Err() }

func (r *requestContext) Value(key any) any {
	switch key {
	case bridgeKey{}:
		return r.b
	case http.ServerContextKey:
		return r.b.app.std.get(r.b.app)
	case http.LocalAddrContextKey:
		return r.b.local()
	}
	r.mu.Lock()
	made := r.made
	r.mu.Unlock()
	if made == nil {
		return nil // a context that nobody has asked for has no values
	}
	return made.Value(key)
}

// ended is a context that is over.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
