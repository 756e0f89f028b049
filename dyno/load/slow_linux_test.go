package load

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// Clients that read slowly take a long response in no less time than their rate says, whole, and the
// server is still at sending meanwhile.
func TestSlowClients(t *testing.T) {
	const size, rate, count = 1 << 20, 4 << 20, 3
	body := bytes.Repeat([]byte("x"), size)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer server.Close()
	s := spec(server.URL, profile.Profile{Mode: profile.Closed, Connections: 1})
	s.Duration, s.MaxRequests, s.Link.ReadRate, s.Sampler = 0, count, rate, evidence.NewSampler()
	s.Sampler.Awake(true)
	s.Sampler.Every(1, 1)
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Engine != "epoll" || r.All.Completed+r.All.Drained != count {
		t.Errorf("the engine %s completed %d of %d requests: %+v", r.Engine, r.All.Completed+r.All.Drained, count, r.All.Errors)
	}
	seen := 0
	s.Sampler.Fetch(func(x *evidence.Sample) bool {
		seen++
		if took := time.Duration(x.Done - x.First); x.Failed || x.Size != size || took < time.Duration(size)*time.Second/rate/2 {
			t.Errorf("%d bytes took %v, failed: %v", x.Size, took, x.Failed)
		}
		return true
	})
	if seen != count {
		t.Errorf("%d requests were drawn", seen)
	}
}

// Where nobody reads slowly, that is refused.
func TestSlowClientsAreEpolls(t *testing.T) {
	for _, engine := range []string{"uring", "portable"} {
		s := spec("http://127.0.0.1:1", profile.Profile{Mode: profile.Closed, Connections: 1})
		s.Engine, s.Link = engine, request.Link{ReadRate: 1 << 20}
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), "epoll") {
			t.Errorf("%s: %v", engine, err)
		}
	}
}
