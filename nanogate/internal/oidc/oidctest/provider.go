// Package oidctest runs an identity provider in the process of a test: the OpenID provider
// of github.com/zitadel/oidc on an address of this machine, with the storage of its
// example, in memory.
package oidctest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/storage"
	zitadel "github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The provider's client registration and its paths.
const (
	ClientID     = "gateway"
	ClientSecret = "secret of the gateway"
	Introspect   = "/oauth/introspect"
	Token        = "/oauth/token"
	Revoke       = "/revoke"
)

// Provider is an identity provider that accepts every login.
type Provider struct {
	URL     string       // which is its issuer
	User    atomic.Value // name of the user that logs in: "test-user2"
	Session atomic.Value // name (sid) of the session that ID tokens are of; none at first
	Away    atomic.Bool  // connections are cut
	Change  atomic.Value // func(http.ResponseWriter, *http.Request) bool: has responded in its place if it returns true
	Handler http.Handler // serves the requests
	Type    string       // typ of logout tokens; "": they have none
	Browser *http.Client // of a user that logs in

	mu    sync.Mutex
	asked map[string]int
	key   *signing
	old   []*signing
}

// New starts a provider, until the test ends.
func New(t testing.TB) *Provider { return NewTLS(t, nil) }

// NewTLS starts one that speaks TLS; nil: it doesn't.
func NewTLS(t testing.TB, with *tls.Config) *Provider {
	t.Helper()
	p := &Provider{Type: "logout+jwt", asked: map[string]int{}, Browser: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	p.User.Store("test-user2")
	p.Rotate(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.URL = "http://" + server.Listener.Addr().String()
	if with != nil {
		p.URL = "https://" + server.Listener.Addr().String()
		p.Browser.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	}

	users := storage.NewUserStore(p.URL)
	store := &store{p: p, Storage: storage.NewStorageWithClients(users, map[string]*storage.Client{ClientID: storage.WebClient(ClientID, ClientSecret, "https://gateway.example/oauth2/callback")})}
	provider, err := op.NewProvider(&op.Config{
		CryptoKey: sha256.Sum256([]byte("of this test")), CodeMethodS256: true, AuthMethodPost: true, GrantTypeRefreshToken: true,
		DefaultLogoutRedirectURI: "/logged-out",
	}, store, op.StaticIssuer(p.URL), op.WithAllowInsecure())
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	callback := op.AuthCallbackURL(provider)
	mux.HandleFunc("/login/username", op.NewIssuerInterceptor(provider.IssuerFromRequest).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("authRequestID")
		if err := store.CheckUsernamePassword(p.User.Load().(string), "verysecure", id); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		http.Redirect(w, r, callback(r.Context(), id), http.StatusFound)
	}))
	mux.Handle("/", provider)
	p.Handler = mux
	if server.TLS = with; with == nil {
		server.Start()
	} else {
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	return p
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	if p.Away.Load() {
		panic(http.ErrAbortHandler)
	}
	p.mu.Lock()
	p.asked[r.URL.Path]++
	p.mu.Unlock()
	if change, ok := p.Change.Load().(func(http.ResponseWriter, *http.Request) bool); ok && change(w, r) {
		return
	}
	p.Handler.ServeHTTP(w, r)
}

// LogIn follows a browser that is sent to the provider until it is sent back to another
// host, and returns where.
func (p *Provider) LogIn(t testing.TB, location string) *url.URL {
	t.Helper()
	for range 10 {
		resp, err := p.Browser.Get(location)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		next, err := resp.Location()
		if err != nil {
			t.Fatalf("%s: %s %s", location, resp.Status, body)
		}
		if next.Scheme+"://"+next.Host != p.URL {
			return next
		}
		location = next.String()
	}
	t.Fatal("the provider never sends the browser back")
	return nil
}

// RequestCount is how often a path was requested.
func (p *Provider) RequestCount(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// Rotate makes the provider sign with a new key. It publishes the old ones too.
func (p *Provider) Rotate(t testing.TB) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key != nil {
		p.old = append(p.old, p.key)
	}
	p.key = &signing{rand.Text(), key}
}

// Logout signs a logout token for a session, a user or both (OpenID Connect Back-Channel
// Logout 1.0, 2.4) that is made at a time. change changes its claims; nil: it doesn't.
func (p *Provider) Logout(t testing.TB, sid, sub string, at time.Time, change func(map[string]any)) string {
	t.Helper()
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "iat": at.Unix(), "exp": at.Add(2 * time.Minute).Unix(), "jti": rand.Text(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	for name, value := range map[string]string{"sid": sid, "sub": sub} {
		if value != "" {
			claims[name] = value
		}
	}
	if change != nil {
		change(claims)
	}
	p.mu.Lock()
	key := jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: p.key.key, KeyID: p.key.id}}
	p.mu.Unlock()
	options := &jose.SignerOptions{}
	if p.Type != "" {
		options.WithType(jose.ContentType(p.Type))
	}
	signer, err := jose.NewSigner(key, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// signing is a key that the provider signs with.
type signing struct {
	id  string
	key *ecdsa.PrivateKey
}

func (s *signing) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.ES256 }
func (s *signing) Key() any                                    { return s.key }
func (s *signing) ID() string                                  { return s.id }

// public is its half that others know.
type public struct{ *signing }

func (p public) Algorithm() jose.SignatureAlgorithm { return jose.ES256 }
func (p public) Use() string                        { return "sig" }
func (p public) Key() any                           { return &p.key.PublicKey }

// store is the example's storage with keys that are rotated, and with a client that may
// have browsers sent to any host's callback.
type store struct {
	*storage.Storage
	p *Provider
}

func (s *store) SigningKey(context.Context) (op.SigningKey, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.p.key, nil
}

func (s *store) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.ES256}, nil
}

func (s *store) KeySet(context.Context) ([]op.Key, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	keys := []op.Key{public{s.p.key}}
	for _, one := range s.p.old {
		keys = append(keys, public{one})
	}
	return keys, nil
}

func (s *store) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{c}, nil
}

// SetUserinfoFromRequest says in ID tokens which session they are of.
func (s *store) SetUserinfoFromRequest(ctx context.Context, info *zitadel.UserInfo, token op.IDTokenRequest, scopes []string) error {
	if sid, ok := s.p.Session.Load().(string); ok && sid != "" {
		info.AppendClaims("sid", sid)
	}
	return s.Storage.SetUserinfoFromRequest(ctx, info, token, scopes)
}

type client struct{ op.Client }

func (client) IDTokenUserinfoClaimsAssertion() bool { return true }
func (client) RedirectURIGlobs() []string {
	return []string{"https://*/oauth2/callback", "http://*/oauth2/callback"}
}
func (client) PostLogoutRedirectURIGlobs() []string { return []string{"https://*/bye", "http://*/bye"} }
func (client) AccessTokenType() op.AccessTokenType  { return op.AccessTokenTypeBearer }
