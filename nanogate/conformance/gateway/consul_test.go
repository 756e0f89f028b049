//go:build linux

package gateway_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Requests go to what is registered with Consul, and no others when that changes.
func TestConsul(t *testing.T) {
	first, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
	second, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
	var now atomic.Pointer[string]
	now.Store(&first)
	changed := make(chan struct{})
	consul := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		index := 1
		if r.URL.Query().Get("index") == "1" {
			select {
			case <-changed:
			case <-r.Context().Done():
				return
			}
		}
		if now.Load() == &second {
			index = 2
		}
		if r.URL.Query().Get("index") == "2" {
			<-r.Context().Done()
			return
		}
		host, port, _ := net.SplitHostPort(*now.Load())
		w.Header().Set("X-Consul-Index", fmt.Sprint(index))
		fmt.Fprintf(w, `[{"Node":{"Node":"n1","Address":%q},"Service":{"ID":"a","Port":%s},"Checks":[{"Status":"passing"}]}]`, host, port)
	}))
	t.Cleanup(consul.Close)
	_, at := start(t, "routes: [{to: users}]\nupstreams: {users: {consul: {service: users, address: \""+consul.URL+"\"}}}\n")
	responses := func(want string) func() bool {
		return func() bool {
			resp, body := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			return resp.StatusCode == 200 && body == want
		}
	}
	waitFor(t, "the first instance", responses("first"))
	now.Store(&second)
	close(changed)
	waitFor(t, "the second", responses("second"))
	for range 20 {
		if !responses("second")() {
			t.Error("who is deregistered is asked")
		}
	}
}
