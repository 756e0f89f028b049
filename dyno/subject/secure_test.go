package subject

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/subject/contract"
)

// TestOverTLS asks a service with a certificate of its own: it is verified, and
// trusted only where it is told to be.
func TestOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	requests := []request.Request{{Path: "/", Expect: []string{"body contains hello"}}}

	trusting := &contract.Verifier{TLS: &tls.Config{RootCAs: pool}}
	if err := trusting.VerifyRequests(t.Context(), server.URL, requests); err != nil {
		t.Error(err)
	}
	if err := new(contract.Verifier).VerifyRequests(t.Context(), server.URL, requests); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without its certificate: %v", err)
	}
	requests[0].Expect = []string{"body contains goodbye"}
	if err := trusting.VerifyRequests(t.Context(), server.URL, requests); err == nil {
		t.Error("a wrong response is accepted")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := awaitReady(ctx, pollOf(server.URL, "", "", trusting.TLS), time.Minute, nil); err != nil {
		t.Error(err)
	}
	in, err := Attach("up", server.URL)
	if err != nil || in.URL() != server.URL {
		t.Errorf("attached to %+v, %v", in, err)
	}
}
