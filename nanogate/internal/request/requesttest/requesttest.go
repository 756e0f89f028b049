// Package requesttest makes requests for tests.
package requesttest

import (
	"net/netip"
	"testing"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// Parse returns the request of a head. Its path is as sent, its client 192.0.2.1.
func Parse(t testing.TB, text string) *request.Request {
	t.Helper()
	head := &http1.Request{}
	b := []byte(text)
	if n, err := head.Parse(b, nil); n != len(b) || err != nil {
		t.Fatalf("%q: %d, %v", text, n, err)
	}
	r := &request.Request{Client: netip.MustParseAddr("192.0.2.1")}
	r.Begin(head, b)
	r.Path = r.RawPath()
	return r
}
