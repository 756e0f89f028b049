package guard_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/request/requesttest"
)

// backChannel has a provider's server post a form, and returns the response's status.
func (l *logins) backChannel(form string) int {
	l.t.Helper()
	r := requesttest.Parse(l.t, "POST /ended HTTP/1.1\r\nHost: gateway.example\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\n")
	a := l.Check(r)
	if a.Deferred == nil {
		return a.Status
	}
	a.Deferred.Content([]byte(form))
	verdict := a.Deferred.Work(l.t.Context())
	a.Deferred.End()
	return verdict(r).Status
}

func (l *logins) told(token string) int {
	return l.backChannel(url.Values{"logout_token": {token}}.Encode())
}

func withBackChannel(o *config.OIDC) { o.Back = "/ended" }

// A provider ends a session, and then all of somebody's.
func TestBackChannelLogout(t *testing.T) {
	l := newLogins(t, withBackChannel).ready()
	one, two, three := l.browser(), l.browser(), l.browser()
	for sid, b := range map[string]*browser{"one": one, "two": two, "three": three} {
		l.provider.Session.Store(sid)
		b.logIn("/")
	}
	passes := func(b *browser) bool {
		t.Helper()
		a := b.send("GET", "/", page)
		if a.status != 200 && a.status != 302 || (a.forwards == "") != (a.status == 302) {
			t.Errorf("%+v", a)
		}
		return a.status == 200
	}
	now := time.Now()
	if got := l.told(l.provider.Logout(t, "", "id2", now.Add(-time.Minute), nil)); got != 200 || !passes(one) || !passes(two) {
		t.Errorf("a logout of before they logged in: %d, or it has ended their sessions", got)
	}
	for range 2 { // a provider may tell it again
		if got := l.told(l.provider.Logout(t, "one", "id2", now.Add(time.Second), nil)); got != 200 || passes(one) || !passes(two) || !passes(three) {
			t.Errorf("of one session: %d, %v %v %v, %s", got, passes(one), passes(two), passes(three), l.log)
		}
	}
	l.wait(4*time.Minute + 30*time.Second)
	if a := one.send("GET", "/", page); a.status != 302 || len(a.set) != 1 || !strings.Contains(a.set[0], "-login-") {
		t.Errorf("it isn't renewed either: %+v", a)
	}
	l.wait(-4*time.Minute - 30*time.Second)
	if got := l.told(l.provider.Logout(t, "", "somebody", now, nil)); got != 200 || !passes(two) {
		t.Errorf("of somebody else: %d", got)
	}
	r := requesttest.Parse(t, "GET /cart HTTP/1.1\r\nHost: gateway.example\r\nCookie: a=b; __Host-session="+two.cookies["__Host-session"]+"\r\n\r\n")
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(r.Head, r.Buf)
		if l.Check(r) != nil {
			t.Error("it doesn't pass")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := l.told(l.provider.Logout(t, "", "id2", now.Add(time.Second), nil)); got != 200 || passes(two) || passes(three) {
		t.Errorf("of all of somebody's: %d", got)
	}
}

// A session is ended by the name that the provider gave it at the login, also after a renewal
// whose ID token doesn't say it (OpenID Connect Core 1.0, 12.2), or says another.
func TestBackChannelLogoutAfterRenewals(t *testing.T) {
	for name, later := range map[string][]string{"kept": {"one", "one"}, "left out": {"", ""}, "another": {"two", ""}, "another, twice": {"two", "three"}} {
		l := newLogins(t, withBackChannel).ready()
		b, other := l.browser(), l.browser()
		l.provider.Session.Store("one")
		b.logIn("/")
		l.provider.Session.Store("other")
		other.logIn("/")
		for _, sid := range later {
			l.provider.Session.Store(sid)
			l.wait(4*time.Minute + 10*time.Second)
			if a := b.get("/", page); a.status != 200 || len(a.set) == 0 {
				t.Fatalf("%s: no renewal: %+v", name, a)
			}
		}
		for range later {
			l.wait(-4*time.Minute - 10*time.Second) // the token's time is the real one
		}
		if got := l.told(l.provider.Logout(t, "one", "", time.Now().Add(time.Second), nil)); got != 200 {
			t.Errorf("%s: %d", name, got)
		}
		if a := b.send("GET", "/", page); a.status != 302 {
			t.Errorf("%s: the session that was ended goes on: %+v", name, a)
		}
		l.provider.Session.Store("other")
		if a := other.get("/", page); a.status != 200 {
			t.Errorf("%s: another session was ended: %+v", name, a)
		}
	}
}

// What isn't a logout token of this provider for this client, made now, ends nothing.
func TestBackChannelRefusals(t *testing.T) {
	l := newLogins(t, withBackChannel).ready()
	b := l.browser()
	b.logIn("/")
	now := time.Now()
	const event = "http://schemas.openid.net/event/backchannel-logout"
	for name, change := range map[string]func(map[string]any){
		"of another provider": func(c map[string]any) { c["iss"] = "https://evil.example" },
		"for another client":  func(c map[string]any) { c["aud"] = "another" },
		"expired":             func(c map[string]any) { c["exp"] = now.Add(-time.Minute).Unix() },
		"without an end":      func(c map[string]any) { delete(c, "exp") },
		"of the future":       func(c map[string]any) { c["iat"] = now.Add(time.Hour).Unix(); c["exp"] = now.Add(2 * time.Hour).Unix() },
		"of no time":          func(c map[string]any) { delete(c, "iat") },
		"of nobody":           func(c map[string]any) { delete(c, "sub") },
		"with a nonce":        func(c map[string]any) { c["nonce"] = "n" },
		"without a name":      func(c map[string]any) { delete(c, "jti") },
		"without events":      func(c map[string]any) { delete(c, "events") },
		"of another event":    func(c map[string]any) { c["events"] = map[string]any{"urn:other": map[string]any{}} },
		"of no object":        func(c map[string]any) { c["events"] = map[string]any{event: "yes"} },
	} {
		if got := l.told(l.provider.Logout(t, "", "id2", now, change)); got != 400 {
			t.Errorf("%s: %d", name, got)
		}
	}
	good := l.provider.Logout(t, "", "id2", now, nil)
	other := oidctest.New(t)
	for name, form := range map[string]string{
		"nothing": "", "no form": "%zz", "another field": "token=" + good, "two tokens": "logout_token=" + good + "&logout_token=" + good,
		"a changed one": "logout_token=" + good[:len(good)-6] + "AAAAAA", "signed by another": "logout_token=" + other.Logout(t, "", "id2", now, func(c map[string]any) { c["iss"] = l.provider.URL }),
		"unsigned": "logout_token=eyJhbGciOiJub25lIn0." + strings.Split(good, ".")[1] + ".",
	} {
		if got := l.backChannel(form); got != 400 {
			t.Errorf("%s: %d", name, got)
		}
	}
	for head, want := range map[string]int{
		"GET /ended HTTP/1.1\r\nHost: a\r\n\r\n": 405, "POST /ended HTTP/1.1\r\nHost: a\r\n\r\n": 415, "POST /ended HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n": 415,
	} {
		if a := l.Check(requesttest.Parse(t, head)); a == nil || a.Status != want {
			t.Errorf("%q: %+v, want %d", head, a, want)
		}
	}
	if a := b.send("GET", "/", page); a.status != 200 {
		t.Errorf("the session is over: %+v", a)
	}
	if got := l.told(good); got != 200 {
		t.Errorf("the good one: %d, %s", got, l.log)
	}
	if a := b.send("GET", "/", page); a.status != 302 {
		t.Errorf("the session goes on: %+v", a)
	}
}

// A token that the provider has signed for another use is none; one that doesn't say its use
// may be (OpenID Connect Back-Channel Logout 1.0, 2.4; RFC 8725 3.11).
func TestBackChannelTypes(t *testing.T) {
	l := newLogins(t, withBackChannel).ready()
	for kind, want := range map[string]int{"logout+jwt": 200, "application/logout+JWT": 200, "JWT": 200, "": 200, "at+jwt": 400, "id+jwt": 400, "secevent+jwt": 400, "logout": 400} {
		l.provider.Type = kind
		if got := l.told(l.provider.Logout(t, "", "somebody", time.Now(), nil)); got != want {
			t.Errorf("%q: %d, want %d", kind, got, want)
		}
	}
}

// A login that gives nothing but a session which is over isn't taken for one: the browser
// would go to the provider and back for ever.
func TestLoginIsOver(t *testing.T) {
	l := newLogins(t, withBackChannel).ready()
	if got := l.told(l.provider.Logout(t, "", "id2", time.Now().Add(25*time.Second), nil)); got != 200 {
		t.Fatal(got)
	}
	b := l.browser()
	callback := l.provider.LogIn(t, b.get("/", page).location).RequestURI()
	if a := b.get(callback, page); a.status != 503 || b.cookies["__Host-session"] != "" || !strings.Contains(l.log.String(), "a logout that is later") {
		t.Errorf("after a logout that is later: %+v, %s", a, l.log)
	}
	l = newLogins(t, nil).ready()
	l.wait(-2 * time.Minute)
	b = l.browser()
	callback = l.provider.LogIn(t, b.get("/", page).location).RequestURI()
	if a := b.get(callback, page); a.status != 502 || b.cookies["__Host-session"] != "" || !strings.Contains(l.log.String(), "in the future (iat)") {
		t.Errorf("made in the future: %+v, %s", a, l.log)
	}
}

// board is what gateways in one process tell each other by.
type board struct {
	mu     sync.Mutex
	listen []func(oidc.Logout)
	told   []oidc.Logout
	away   bool
}

func (b *board) Tell(_ context.Context, one oidc.Logout) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return errors.New("it is away")
	}
	b.told = append(b.told, one)
	for _, heard := range b.listen {
		heard(one)
	}
	return nil
}

func (b *board) Follow(heard func(oidc.Logout)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.told {
		heard(one)
	}
	b.listen = append(b.listen, heard)
}

func (b *board) Close() {}

// Other gateways hear of a logout, also those that are started later; if they can't be told
// the provider is, and the session is over here at least. A client that is rebuilt knows too.
func TestLogoutIsShared(t *testing.T) {
	common := &board{}
	var clients *oidc.Clients
	provider := oidctest.New(t)
	gateway := func() *logins {
		return loginsBy(t, provider, func(o *config.OIDC) { withBackChannel(o); o.Redis.Address = "of the test" },
			func(c *oidc.Clients) {
				clients = c
				c.Share = func(*config.OIDC, string, int) (oidc.LogoutBus, error) { return common, nil }
			}).ready()
	}
	one, two := gateway(), gateway()
	b := one.browser()
	b.logIn("/")
	at := func(l *logins) int { return (&browser{l, b.cookies}).send("GET", "/", page).status }
	if at(one) != 200 || at(two) != 200 {
		t.Fatalf("one session at two gateways: %d, %d", at(one), at(two))
	}
	token := provider.Logout(t, "", "id2", time.Now().Add(time.Second), nil)
	common.mu.Lock()
	common.away = true
	common.mu.Unlock()
	if got := one.told(token); got != 400 || at(one) != 302 || at(two) != 200 {
		t.Errorf("others can't be told: %d, then %d and %d", got, at(one), at(two))
	}
	common.mu.Lock()
	common.away = false
	common.mu.Unlock()
	if got := one.told(token); got != 200 {
		t.Errorf("again: %d, %s", got, one.log)
	}
	waitUntil(t, "the other gateway hears of it", func() bool { return at(two) == 302 })
	three := gateway()
	waitUntil(t, "one that is started later does", func() bool { return at(three) == 302 })

	changed := three.rules
	changed.Session += time.Minute
	four, err := guard.NewOIDC(&changed, clients, slog.New(slog.NewTextHandler(three.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer four.Close()
	if four.Client() == three.Client() || at(&logins{OIDC: four, t: t}) != 503 && at(&logins{OIDC: four, t: t}) != 302 {
		t.Error("after its settings have changed the client has forgotten it")
	}
}

func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for ends := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(ends) {
			t.Fatalf("it never came that %s", what)
		}
	}
}

// Logging out has the provider revoke the tokens; if it can't, one is logged out all the same.
func TestLogoutRevokes(t *testing.T) {
	l := newLogins(t, nil).ready()
	b, kept := l.browser(), l.browser()
	b.logIn("/")
	for name, value := range b.cookies {
		kept.cookies[name] = value
	}
	if a := b.ask("POST", "/oauth2/logout", page); a.status != 303 || len(b.cookies) != 0 || !strings.HasPrefix(a.location, l.provider.URL) {
		t.Errorf("%+v", a)
	}
	if n := l.provider.RequestCount(oidctest.Revoke); n != 2 {
		t.Errorf("it was asked to revoke %d tokens, want the refresh and the access token; %s", n, l.log)
	}
	if l.log.String() != "" {
		t.Errorf("something went wrong: %s", l.log)
	}
	l.wait(5*time.Minute + time.Second)
	if a := kept.send("GET", "/", page); a.status != 302 {
		t.Errorf("who has copied the cookies has the tokens renewed: %+v", a)
	}

	l.wait(-5*time.Minute - time.Second)
	l.provider.Change.Store(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == oidctest.Revoke {
			http.Error(w, "not now", http.StatusServiceUnavailable)
		}
		return r.URL.Path == oidctest.Revoke
	})
	b.logIn("/")
	if a := b.ask("POST", "/oauth2/logout", page); a.status != 303 || len(b.cookies) != 0 || !strings.Contains(l.log.String(), "revocation of the refresh_token with 503") {
		t.Errorf("%+v, %s", a, l.log)
	}
}
