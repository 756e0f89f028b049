package gateway

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// keptIdle is how many idle connections to the upstream are kept: as many as studies have
// clients. net/http keeps two, with which most requests would open a connection.
const keptIdle = 16384

// Proxy passes requests on to the upstream.
func Proxy(s *Settings) http.Handler {
	t := &http.Transport{
		DialContext:         s.dialer(),
		MaxIdleConnsPerHost: keptIdle, MaxConnsPerHost: s.Pool, IdleConnTimeout: 90 * time.Second,
		DisableCompression: true, DisableKeepAlives: s.Resolver != "",
	}
	var through http.RoundTripper = t
	if s.Breaker > 0 {
		through = newBreaker(s, t)
	}
	at := &url.URL{Scheme: "http", Host: s.Upstream}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(at)
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport: through, BufferPool: &buffers{}, ErrorLog: log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(StatusOf(err)) },
	}
}

// StatusOf is what a client gets for a failure.
func StatusOf(err error) int {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadGateway
}

// buffers lends buffers of the size that ReverseProxy would make for each response.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return *buf
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buf []byte) { b.pool.Put(&buf) }

// breaker stops passing on while too much fails.
type breaker struct {
	next    http.RoundTripper
	circuit *gobreaker.CircuitBreaker[*http.Response]
}

// How many requests are looked at before it may open, and over which time.
const (
	breakerLeast = 20
	breakerOver  = 10 * time.Second
)

func newBreaker(s *Settings, next http.RoundTripper) *breaker {
	return &breaker{next, gobreaker.NewCircuitBreaker[*http.Response](gobreaker.Settings{
		Interval: breakerOver, Timeout: s.Sleep,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.Requests >= breakerLeast && int(c.TotalFailures)*100 >= s.Breaker*int(c.Requests)
		},
	})}
}

// errStatus tells the circuit of a response that is a failure.
var errStatus = errors.New("the upstream failed")

func (b *breaker) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.circuit.Execute(func() (*http.Response, error) {
		resp, err := b.next.RoundTrip(r)
		if err == nil && resp.StatusCode >= 500 {
			err = errStatus
		}
		return resp, err
	})
	if errors.Is(err, errStatus) {
		err = nil
	}
	return resp, err
}
