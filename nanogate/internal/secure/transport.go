package secure

import (
	"context"
	"crypto/tls"
	"net/http"
	"sync"

	"dyno.example/nanogate/internal/config"
)

// Transport carries the gateway's own HTTP requests, such as to identity providers. When
// the files of its TLS change, new connections use the new ones. Safe for concurrent use.
type Transport struct {
	client *Client
	stop   context.CancelFunc

	mu   sync.Mutex
	with *tls.Config // that now was made with
	now  *http.Transport
}

// NewTransport makes one. What can't be used of the files is a [config.Problem] of at. It
// connects when it is used.
func NewTransport(rules config.ProviderTLS, at config.At) (*Transport, error) {
	client, err := NewClient(rules.Upstream())
	if err != nil {
		return nil, at.Problem("", "%v", err)
	}
	t := &Transport{client: client}
	ctx, stop := context.WithCancel(context.Background())
	t.stop = stop
	go client.Watch(ctx)
	return t, nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.current().RoundTrip(r)
}

// Bounds of what is kept for later, and of what a server says.
const (
	mostIdle = 16       // connections to one server
	mostHead = 64 << 10 // bytes
)

// current is the transport of the files as they are now.
func (t *Transport) current() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	with := t.client.Config()
	if t.with == with {
		return t.now
	}
	if t.now != nil {
		t.now.CloseIdleConnections()
	}
	t.with, t.now = with, http.DefaultTransport.(*http.Transport).Clone()
	t.now.TLSClientConfig, t.now.MaxIdleConnsPerHost, t.now.MaxResponseHeaderBytes = with.Clone(), mostIdle, mostHead
	return t.now
}

// Close ends the polling of the files, and idle connections.
func (t *Transport) Close() {
	t.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil {
		t.now.CloseIdleConnections()
	}
}
