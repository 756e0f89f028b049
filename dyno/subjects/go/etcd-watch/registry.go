package main

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// prefix is where the instances of a service are, each a key.
const prefix = "/services/users/"

// lost is how long a change is waited for: one that the watch has not told of by then has
// no use for who routes by it.
const lost = time.Second

// registry changes instances and watches them.
type registry struct {
	client *clientv3.Client
	next   atomic.Int64
	here   chan string // keys of instances that have come and not gone
	mu     sync.Mutex
	waits  map[string]chan struct{} // by key, for the one change of it that is under way
}

func newRegistry(client *clientv3.Client) *registry {
	return &registry{client: client, here: make(chan string, 10_000), waits: make(map[string]chan struct{})}
}

// watch wakes those that wait for a change, until ctx ends. A watch that breaks starts
// over; what happened meanwhile is lost, as the study asks.
func (r *registry) watch(ctx context.Context) {
	for ctx.Err() == nil {
		for response := range r.client.Watch(clientv3.WithRequireLeader(ctx), prefix, clientv3.WithPrefix()) {
			for _, event := range response.Events {
				r.seen(string(event.Kv.Key))
			}
		}
	}
}

func (r *registry) seen(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if told, ok := r.waits[key]; ok {
		delete(r.waits, key)
		close(told)
	}
}

func (r *registry) expect(key string) (told chan struct{}) {
	told = make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits[key] = told
	return told
}

func (r *registry) forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waits, key)
}

func (r *registry) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, req *http.Request) {
		ctx, cancel := context.WithTimeout(req.Context(), lost)
		defer cancel()
		if _, err := r.client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCountOnly()); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("POST /change", r.change)
	return mux
}

// change lets an instance come or, every second time, the one go that came first; it is
// responded to when the watch has told of it.
func (r *registry) change(w http.ResponseWriter, req *http.Request) {
	n := r.next.Add(1)
	key, goes := prefix+strconv.FormatInt(n, 10), false
	if n%2 == 0 {
		select {
		case key = <-r.here:
			goes = true
		default: // nobody has come yet
		}
	}
	ctx, cancel := context.WithTimeout(req.Context(), lost)
	defer cancel()
	told := r.expect(key)
	var err error
	if goes {
		_, err = r.client.Delete(ctx, key)
	} else {
		_, err = r.client.Put(ctx, key, `{"Op":0,"Addr":"10.0.0.1:8080"}`)
	}
	if err != nil {
		r.forget(key)
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	select {
	case <-told:
		if !goes {
			select {
			case r.here <- key:
			default:
			}
		}
		w.WriteHeader(http.StatusNoContent)
	case <-ctx.Done():
		r.forget(key)
		http.Error(w, "the watch has not told of it", http.StatusGatewayTimeout)
	}
}
