package contract

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"dyno.example/dyno/load/request"
)

// overHTTP2 starts a server that speaks HTTP/2, with TLS or by prior knowledge, and
// HTTP/1.1.
func overHTTP2(t *testing.T, secure bool, h http.HandlerFunc) (url string, trust *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(s.Close)
	if !secure {
		s.Start()
		return s.URL, nil
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s.URL, &tls.Config{RootCAs: pool}
}

func TestVerifyHTTP2(t *testing.T) {
	hello := func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 || r.Host != "example.org" || r.Header.Get("X-Key") != "k" {
			w.WriteHeader(http.StatusBadRequest)
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, "hello "+string(body))
	}
	var asked atomic.Int32
	goingAway := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // GOAWAY
		hello(w, r)
	}
	changing := func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		hello(w, r)
	}
	whole := "hello you"
	routes := []Route{{Name: "greet", Method: "POST", Path: "/greet", Body: "you",
		Headers: []request.Header{{Name: "Host", Value: "example.org"}, {Name: "X-Key", Value: "k"}},
		Expect:  Expect{Status: 200, Text: &whole, Headers: []request.Header{{Name: "Content-Type", Value: "text/plain"}}},
	}}
	for _, tt := range []struct {
		name   string
		handle http.HandlerFunc
		want   string // in the refusal; empty: all is well
	}{
		{"right", hello, ""},
		{"goes away", goingAway, "keep-alive"},
		{"other status later", changing, "a second response with status 429"},
		{"wrong", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hallo you") }, "+ hallo you"},
		{"reset", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "over HTTP/2"},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				url, trust := overHTTP2(t, secure, tt.handle)
				err := (&Verifier{TLS: trust, Protocol: request.HTTP2}).Verify(t.Context(), url, routes)
				if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("TLS %v: %v, want %q", secure, err, tt.want)
				}
			})
		}
	}
}

// TestVerifyHTTP2OfOneWithout: a server of HTTP/1.1 is not taken for one of HTTP/2.
func TestVerifyHTTP2OfOneWithout(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	err := (&Verifier{Protocol: request.HTTP2}).VerifyRequests(t.Context(), s.URL, []request.Request{{Path: "/"}})
	if err == nil || !strings.Contains(err.Error(), "over HTTP/2") {
		t.Error(err)
	}
}
