package load

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// certificate makes a self-signed certificate for 127.0.0.1 that ends at the
// given time, and returns it with its PEM files.
func certificate(t *testing.T, end time.Time) (cert tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: end.Add(-48 * time.Hour), NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if cert, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		t.Fatal(err)
	}
	return cert, certFile, keyFile
}

// tlsServer responds over TLS with bodies of several records.
func tlsServer(t *testing.T, config *tls.Config) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, strings.Repeat("x", 40_000))
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // what clients refuse is expected
	srv.TLS = config
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestConnectingAtTheEnd: an arrival for which a connection is being made when the
// time is over has begun, and is waited for like those that were sent.
func TestConnectingAtTheEnd(t *testing.T) {
	t.Parallel()
	cert, _, _ := certificate(t, time.Now().Add(24*time.Hour))
	slow := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		time.Sleep(100 * time.Millisecond)
		return nil, nil
	}})
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(slow, profile.Profile{Mode: profile.Open, Connections: 100, Rate: 100, Arrivals: profile.Uniform})
		s.Engine, s.Link.Reuse, s.TLS = engine, request.NoReuse, request.TLS{Insecure: true}
		total := everything(ran(t, s))
		// Where the machine held the generator up, it may have missed arrivals.
		if total.Offered != 30 || total.Unfinished > total.Late || total.Drained == 0 || total.Completed+total.Drained+total.Unfinished != 30 {
			t.Errorf("of 30 arrivals: %+v", total)
		}
	})
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, certFile, keyFile := certificate(t, time.Now().Add(24*time.Hour))
	pool := x509.NewCertPool()
	pool.AddCert(cert.Leaf)
	eachEngine(t, func(t *testing.T, engine string) {
		for _, version := range []string{"1.2", "1.3"} {
			for _, resume := range []bool{false, true} {
				target := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})
				s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 3})
				s.Engine, s.MaxRequests, s.Duration, s.Timeout = engine, 60, 0, 30*time.Second
				s.Requests = []request.Request{{Method: "POST", Path: "/", Body: strings.Repeat("y", 100_000)}}
				s.Link.PerConnection = 5
				s.TLS = request.TLS{CAFile: certFile, CertFile: certFile, KeyFile: keyFile, MinVersion: version, MaxVersion: version, Resume: resume}
				r := ran(t, s)
				all := total(r)
				if all.Completed+all.Drained != 60 || all.Errors.Total() != 0 {
					t.Fatalf("%s: completed %d, errors %+v (%v)", version, all.Completed, all.Errors, r.FirstErrors)
				}
				r.Total = *all
				full, resumed := count(r, measure.FullHandshake), count(r, measure.ResumedHandshake)
				if full+resumed == 0 || (resumed > 0) != resume {
					t.Errorf("TLS %s, resume %v: %d full handshakes, %d resumed", version, resume, full, resumed)
				}
			}
		}
	})
}

func count(r *Result, c measure.Clock) int64 {
	if h := r.Total.Hist[c]; h != nil {
		return h.TotalCount()
	}
	return 0
}

func TestTLSFailures(t *testing.T) {
	t.Parallel()
	expired, expiredFile, _ := certificate(t, time.Now().Add(-time.Hour))
	good, goodFile, _ := certificate(t, time.Now().Add(time.Hour))
	plain := server(t, replies(okReply))
	tests := []struct {
		name   string
		target string
		tls    request.TLS
		says   string
	}{
		{"unknown authority", tlsServer(t, &tls.Config{Certificates: []tls.Certificate{good}}), request.TLS{}, "unknown authority"},
		{"expired", tlsServer(t, &tls.Config{Certificates: []tls.Certificate{expired}}), request.TLS{CAFile: expiredFile}, "expired"},
		{"other name", tlsServer(t, &tls.Config{Certificates: []tls.Certificate{good}}), request.TLS{CAFile: goodFile, ServerName: "other.example"}, "other.example"},
		{"no common version", tlsServer(t, &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS13}), request.TLS{CAFile: goodFile, MaxVersion: "1.2"}, "protocol version"},
		{"HTTP/2 chosen", tlsServer(t, &tls.Config{Certificates: []tls.Certificate{good}, NextProtos: []string{"h2", "http/1.1"}}), request.TLS{CAFile: goodFile, ALPN: []string{"http/1.1", "h2"}}, "only http/1.1 is spoken"},
		{"no TLS there", strings.Replace(plain, "http:", "https:", 1), request.TLS{}, "TLS handshake"},
		{"client certificate missing", tlsServer(t, &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAnyClientCert}), request.TLS{CAFile: goodFile}, "certificate required"},
		{"no file", "https://127.0.0.1:1", request.TLS{CAFile: "/nonexistent/ca.pem"}, "/nonexistent/ca.pem"},
		{"not a certificate", "https://127.0.0.1:1", request.TLS{CAFile: os.DevNull}, "no certificate"},
		{"half a pair", "https://127.0.0.1:1", request.TLS{CertFile: "x"}, "both"},
		{"version", "https://127.0.0.1:1", request.TLS{MinVersion: "1.1"}, "neither"},
		{"versions crossed", "https://127.0.0.1:1", request.TLS{MinVersion: "1.3", MaxVersion: "1.2"}, "above"},
		{"ALPN", "https://127.0.0.1:1", request.TLS{ALPN: []string{"h2"}}, "http/1.1"},
	}
	eachEngine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				s := spec(tt.target, profile.Profile{Mode: profile.Closed, Connections: 2})
				s.Engine, s.TLS = engine, tt.tls
				eventually(t, func(wrong func(string, ...any)) { // a load that stood still all the time says nothing
					r, err := Run(t.Context(), s)
					text := ""
					if err != nil {
						text = err.Error()
					} else {
						text = r.FirstErrors["connect"].String() + r.FirstErrors["reset"].String()
					}
					if !strings.Contains(text, tt.says) {
						wrong("said %q, want %q", text, tt.says)
					}
				})
			})
		}
	})
}

func TestKeyLogIsPrivateAndFilled(t *testing.T) {
	cert, certFile, _ := certificate(t, time.Now().Add(time.Hour))
	s := spec(tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}}), profile.Profile{Mode: profile.Closed, Connections: 1})
	s.MaxRequests, s.Timeout = 3, 30*time.Second
	s.TLS = request.TLS{CAFile: certFile, KeyLog: filepath.Join(t.TempDir(), "keys")}
	ran(t, s)
	info, err := os.Stat(s.TLS.KeyLog)
	if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("key log: %v, %v", info, err)
	}
}
