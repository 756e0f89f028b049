// Package acmetest runs a real ACME authority for tests, in their process: Pebble, which
// Let's Encrypt makes for that. What it checks goes to any name on this machine, by way
// of a balancer before the gateways.
package acmetest

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

// Authority is a running one. It ends with the test.
type Authority struct {
	Directory string         // its URL
	CA        string         // file of the CA that signed its own certificate
	Roots     *x509.CertPool // the CAs that sign what it issues
	HTTP, TLS *Balancer      // where it checks
	Names     *Names         // where it looks names up
	Away      atomic.Bool    // it takes requests and hangs up

	store *db.MemoryStore

	accounts sync.Mutex // one account is made at a time

	mu      sync.Mutex
	ordered []string // names of certificates ordered, in order
}

// Options are what differs between authorities. All may be left out.
type Options struct {
	Valid      time.Duration // of certificates; 0: 90 days
	AccountID  string        // accounts have to be bound to this one of the authority's
	AccountKey string        // with this key, in base64url
}

// Start starts one.
func Start(t testing.TB, o Options) *Authority {
	t.Helper()
	for name, value := range map[string]string{
		"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_AUTHZREUSE": "0", // each order is checked
		"PEBBLE_WFE_NONCEREJECT": "0",
	} {
		t.Setenv(name, value)
	}
	if o.Valid == 0 {
		o.Valid = 90 * 24 * time.Hour
	}
	a := &Authority{store: db.NewMemoryStore(), Roots: x509.NewCertPool(), HTTP: newBalancer(t), TLS: newBalancer(t), Names: NewNames(t)}
	quiet := log.New(io.Discard, "", 0)
	profiles := map[string]ca.Profile{"default": {Description: "the only one", ValidityPeriod: uint64(o.Valid / time.Second)}}
	signs := ca.New(quiet, a.store, "", "ecdsa", 0, 1, profiles)
	checks := va.New(quiet, a.HTTP.port, a.TLS.port, false, a.Names.Address, a.store)
	if o.AccountID != "" {
		if err := a.store.AddExternalAccountKeyByID(o.AccountID, o.AccountKey); err != nil {
			t.Fatal(err)
		}
	}
	serves := wfe.New(quiet, a.store, checks, signs, []string{"pebble.example"}, true, o.AccountID != "", 0, 0)
	server := httptest.NewUnstartedServer(a.count(serves.Handler()))
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	a.Directory, a.CA = server.URL+wfe.DirectoryPath, filepath.Join(t.TempDir(), "authority.pem")
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(a.CA, own, 0o600); err != nil {
		t.Fatal(err)
	}
	a.Roots.AddCert(signs.GetRootCert(0).Cert)
	return a
}

// count counts requests, and hangs up while the authority is away.
func (a *Authority) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Away.Load() {
			panic(http.ErrAbortHandler)
		}
		switch r.URL.Path {
		case "/order-plz":
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			a.note(body)
		case "/sign-me-up":
			// Pebble changes an account that it has returned while another request reads
			// it.
			a.accounts.Lock()
			defer a.accounts.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

// note notes the names of an order (RFC 8555 7.4).
func (a *Authority) note(body []byte) {
	var jws struct{ Payload string }
	var order struct{ Identifiers []struct{ Value string } }
	if json.Unmarshal(body, &jws) != nil {
		return
	}
	payload, _ := base64.RawURLEncoding.DecodeString(jws.Payload)
	if json.Unmarshal(payload, &order) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range order.Identifiers {
		a.ordered = append(a.ordered, name.Value)
	}
}

// Ordered are the names of certificates ordered, in order.
func (a *Authority) Ordered() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.ordered)
}

// Block has it refuse a name.
func (a *Authority) Block(t testing.TB, name string) {
	t.Helper()
	if err := a.store.AddBlockedDomain(name); err != nil {
		t.Fatal(err)
	}
}

// Advise has it say when a certificate is to be renewed.
func (a *Authority) Advise(t testing.TB, serial *big.Int, start, end time.Time) {
	t.Helper()
	said := fmt.Sprintf(`{"suggestedWindow": {"start": %q, "end": %q}}`, start.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339))
	if err := a.store.SetARIResponse(serial, said); err != nil {
		t.Fatal(err)
	}
}
