package guard_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// logins is a gateway's login at a provider that is real.
type logins struct {
	*guard.OIDC
	rules    config.OIDC
	t        *testing.T
	provider *oidctest.Provider
	log      *journal
	mu       sync.Mutex
	ahead    time.Duration // of the provider's clock
}

// journal is a log for many goroutines.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// wait moves the clock on.
func (l *logins) wait(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ahead += d
}

// newLogins makes the guard.
func newLogins(t *testing.T, change func(*config.OIDC)) *logins {
	t.Helper()
	return loginsAt(t, oidctest.New(t), change)
}

// loginsAt makes it for a provider.
func loginsAt(t *testing.T, provider *oidctest.Provider, change func(*config.OIDC)) *logins {
	t.Helper()
	return loginsBy(t, provider, change, nil)
}

// loginsBy makes it with other clients. Nothing of the provider's tokens may be in its log.
func loginsBy(t *testing.T, provider *oidctest.Provider, change func(*config.OIDC), prepare func(*oidc.Clients)) *logins {
	t.Helper()
	l := &logins{t: t, provider: provider, log: &journal{}}
	dir := t.TempDir()
	for name, text := range map[string]string{"keys": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))), "secret": oidctest.ClientSecret + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rules := &config.OIDC{
		OIDCClient: config.OIDCClient{
			Issuer: l.provider.URL, ID: oidctest.ClientID, Secret: filepath.Join(dir, "secret"), Keys: filepath.Join(dir, "keys"),
			Scopes: "openid profile email offline_access", Callback: "/oauth2/callback", Login: "/oauth2/login", Logout: "/oauth2/logout", After: "/bye",
			Cookie: "session", Session: time.Hour, Refresh: time.Minute,
		},
		Forward: []config.Claim{{Name: "sub", Value: "x-user"}, {Name: "nothing", Value: "x-nothing"}, {Name: config.AccessToken, Value: "authorization"}},
		Cache:   100,
	}
	if change != nil {
		change(rules)
	}
	l.rules = *rules
	clients := &oidc.Clients{Now: func() time.Time {
		l.mu.Lock()
		defer l.mu.Unlock()
		return time.Now().Add(l.ahead)
	}}
	if prepare != nil {
		prepare(clients)
	}
	var err error
	if l.OIDC, err = guard.NewOIDC(rules, clients, slog.New(slog.NewTextHandler(l.log, nil))); err != nil {
		t.Fatal(err)
	}
	l.Start()
	t.Cleanup(func() {
		l.Close()
		for _, secret := range []string{oidctest.ClientSecret, "eyJ", "__Host-", strings.Repeat("k", 32)} {
			if strings.Contains(l.log.String(), secret) {
				t.Errorf("the log holds secrets: %s", l.log)
			}
		}
	})
	return l
}

// ready waits until the provider is known.
func (l *logins) ready() *logins {
	l.t.Helper()
	for range 4000 {
		if l.Client().Ready() {
			return l
		}
		time.Sleep(5 * time.Millisecond)
	}
	l.t.Fatalf("the provider is never known: %v", l.Client().Trouble())
	return nil
}

// browser is one with its cookies.
type browser struct {
	*logins
	cookies map[string]string
}

func (l *logins) browser() *browser { return &browser{l, map[string]string{}} }

// result is what came of a request: status 200 if it was let pass.
type result struct {
	status   int
	location string
	set      []string // Set-Cookie
	forwards string
	drops    string
	claims   request.Claims
}

const page = "Accept: text/html\r\n"

// get asks for a target as a browser does.
func (b *browser) get(target, fields string) result { return b.ask("GET", target, fields) }

func (b *browser) ask(method, target, fields string) result {
	b.t.Helper()
	a := b.send(method, target, fields)
	for _, line := range a.set {
		pair, attributes, _ := strings.Cut(line, ";")
		name, value, _ := strings.Cut(pair, "=")
		if strings.Contains(attributes, "Max-Age=0") {
			delete(b.cookies, name)
		} else {
			b.cookies[name] = value
		}
	}
	return a
}

// send asks, and leaves the cookies as they are.
func (b *browser) send(method, target, fields string) (a result) {
	b.t.Helper()
	text := method + " " + target + " HTTP/1.1\r\nHost: gateway.example\r\n" + fields
	cookies := []string{"theme=dark"}
	for name, value := range b.cookies {
		cookies = append(cookies, name+"="+value)
	}
	r := requesttest.Parse(b.t, text+"Cookie: "+strings.Join(cookies, "; ")+"\r\n\r\n")
	r.Secure = true
	refusal := decide(b.t, b.OIDC, r)
	a = result{status: 200, forwards: string(r.Forwards()), drops: fmt.Sprint(r.Drops()), claims: r.Claims("oidc")}
	lines := string(r.Responds())
	if refusal != nil {
		a.status = refusal.Status
		lines += string(refusal.Fields)
	}
	for line := range strings.SplitSeq(lines, "\r\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "Location":
			a.location = value
		case "Set-Cookie":
			a.set = append(a.set, value)
		}
	}
	return a
}

// logIn logs in at the provider, and returns where the browser was sent then, and which
// response of the provider's that was.
func (b *browser) logIn(target string) (back, callback string) {
	b.t.Helper()
	a := b.get(target, page)
	if a.status != 302 || !strings.HasPrefix(a.location, b.provider.URL+"/authorize?") {
		b.t.Fatalf("%s: %+v", target, a)
	}
	at := b.provider.LogIn(b.t, a.location)
	if at.Host != "gateway.example" || at.Scheme != "https" {
		b.t.Fatalf("sent to %s", at)
	}
	if a = b.get(at.RequestURI(), page); a.status != 302 {
		b.t.Fatalf("%s: %+v, %s", at, a, b.log)
	}
	return a.location, at.RequestURI()
}

// decide checks a request, and does what is to be done for it at once.
func decide(t testing.TB, g filter.Filter, r *request.Request) *request.Reply {
	t.Helper()
	a := g.Check(r)
	if a == nil || a.Deferred == nil {
		return a
	}
	verdict := a.Deferred.Work(t.Context())
	a.Deferred.End()
	return verdict(r)
}
