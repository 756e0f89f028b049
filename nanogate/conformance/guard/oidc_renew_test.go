package guard_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/request/requesttest"
)

// The provider gives access tokens for five minutes, and refresh tokens for one use.

// authorization is the token that an upstream is given.
func (a result) authorization() string {
	_, after, _ := strings.Cut(a.forwards, "authorization: ")
	token, _, _ := strings.Cut(after, "\r\n")
	return token
}

// Tokens are renewed before they expire, once for all requests, and those that have the old
// cookies still go on.
func TestOIDCRenews(t *testing.T) {
	l := newLogins(t, nil).ready()
	b := l.browser()
	b.logIn("/")
	first := b.get("/", page).authorization()
	l.wait(3 * time.Minute)
	if a := b.get("/", page); a.status != 200 || len(a.set) != 0 || a.authorization() != first {
		t.Errorf("after three minutes: %+v", a)
	}
	old := l.browser()
	maps.Copy(old.cookies, b.cookies)
	l.wait(time.Minute + 10*time.Second) // less than a minute is left
	a := b.get("/", page)
	if a.status != 200 || len(a.set) != oidc.MostCookies || a.authorization() == first || strings.Count(a.forwards, "authorization: ") != 1 || strings.Count(a.forwards, "cookie: ") != 1 {
		t.Errorf("before they expire: %+v", a)
	}
	renewed := a.authorization()
	for range 3 {
		if a := old.send("GET", "/", page); a.status != 200 || a.authorization() != renewed || len(a.set) != oidc.MostCookies {
			t.Errorf("with the old cookies: %+v", a)
		}
	}
	l.wait(time.Minute) // the old tokens have expired
	if a := old.ask("GET", "/", page); a.status != 200 || a.authorization() != renewed {
		t.Errorf("with the old cookies, later: %+v", a)
	}
	if a := old.get("/", page); a.status != 200 || len(a.set) != 0 {
		t.Errorf("with the new ones: %+v", a)
	}
	if n := l.provider.RequestCount(oidctest.Token); n != 2 {
		t.Errorf("the provider was asked for tokens %d times", n)
	}
	// When they have expired all requests wait for one renewal.
	l.wait(6 * time.Minute)
	var all sync.WaitGroup
	for range 20 {
		other := l.browser()
		maps.Copy(other.cookies, b.cookies)
		all.Go(func() {
			if a := other.get("/", page); a.status != 200 || a.authorization() == renewed {
				t.Errorf("at the same time: %+v", a)
			}
		})
	}
	all.Wait()
	if n := l.provider.RequestCount(oidctest.Token); n != 3 {
		t.Errorf("the provider was asked for tokens %d times", n)
	}
}

// What a renewal came to isn't given to those that have the cookies of before when it has
// expired itself: then it is renewed in turn, or they wait, or log in.
func TestOIDCRenewalIsOver(t *testing.T) {
	for name, away := range map[string]bool{"renewed in turn": false, "can't be renewed": true} {
		l := newLogins(t, nil).ready()
		b := l.browser()
		b.logIn("/")
		old, older := l.browser(), l.browser()
		maps.Copy(old.cookies, b.cookies)
		maps.Copy(older.cookies, b.cookies)
		l.wait(4*time.Minute + 10*time.Second)
		renewed := b.get("/", page).authorization()
		l.wait(5*time.Minute + 10*time.Second) // and what came of that has expired too
		l.provider.Away.Store(away)
		a := old.get("/", page)
		if away {
			if a.status != 503 || len(a.set) != 0 {
				t.Errorf("%s: %+v", name, a)
			}
			continue
		}
		if next := a.authorization(); a.status != 200 || next == renewed || next == "" || len(a.set) != oidc.MostCookies {
			t.Errorf("%s: %+v", name, a)
		}
		for _, one := range []*browser{b, older} { // whichever renewal they know of, they get the last
			if again := one.get("/", page); again.status != 200 || again.authorization() != a.authorization() {
				t.Errorf("%s: %+v, then %+v", name, a, again)
			}
		}
		if n := l.provider.RequestCount(oidctest.Token); n != 3 {
			t.Errorf("%s: the provider was asked for tokens %d times", name, n)
		}
	}
}

// While one request has tokens renewed that hold still, the others go on without.
func TestOIDCRenewalHoldsNobodyUp(t *testing.T) {
	l := newLogins(t, nil).ready()
	b := l.browser()
	b.logIn("/")
	asked, go1 := make(chan bool), make(chan bool)
	l.provider.Change.Store(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == oidctest.Token {
			asked <- true
			<-go1
		}
		return false
	})
	l.wait(4*time.Minute + 10*time.Second)
	waiting := l.browser()
	maps.Copy(waiting.cookies, b.cookies)
	done := make(chan result)
	go func() { done <- waiting.get("/", page) }()
	<-asked
	for range 3 {
		if a := b.send("GET", "/", page); a.status != 200 || len(a.set) != 0 {
			t.Errorf("beside a renewal: %+v", a)
		}
	}
	// Nobody decides in time: it passes with what it has.
	text := "GET / HTTP/1.1\r\nHost: gateway.example\r\nCookie: __Host-session=" + b.cookies["__Host-session"] + "\r\n\r\n"
	r := requesttest.Parse(t, text)
	if a := l.Check(r); a != nil || !strings.Contains(string(r.Forwards()), "x-user: id2") {
		t.Errorf("%+v", a)
	}
	close(go1)
	if a := <-done; a.status != 200 || len(a.set) != oidc.MostCookies {
		t.Errorf("the one that renews: %+v", a)
	}
}

// The provider is away: who has a session goes on as long as it holds, nobody else gets in.
func TestOIDCProviderAway(t *testing.T) {
	l := newLogins(t, nil).ready()
	b, late := l.browser(), l.browser()
	b.logIn("/")
	callback := l.provider.LogIn(t, late.get("/", page).location).RequestURI()
	l.provider.Away.Store(true)
	if a := b.get("/", page); a.status != 200 {
		t.Errorf("with a session: %+v", a)
	}
	if a := late.get(callback, page); a.status != 503 || late.cookies["__Host-session"] != "" {
		t.Errorf("a login that can't be ended: %+v", a)
	}
	l.wait(4*time.Minute + 10*time.Second)
	for range 2 {
		if a := b.get("/", page); a.status != 200 || len(a.set) != 0 {
			t.Errorf("whose tokens hold, and can't be renewed: %+v", a)
		}
	}
	l.wait(time.Minute)
	for range 2 {
		if a := b.get("/", page); a.status != 503 {
			t.Errorf("whose tokens have expired: %+v", a)
		}
	}
	l.provider.Away.Store(false)
	l.wait(4 * time.Second)
	if a := b.get("/", page); a.status != 200 || len(a.set) != oidc.MostCookies {
		t.Errorf("it is back: %+v", a)
	}
	if !strings.Contains(l.log.String(), l.provider.URL) {
		t.Errorf("nothing is said of it: %s", l.log)
	}
}

// Before anything is known of the provider nobody gets in; when it comes, people do.
func TestOIDCProviderLate(t *testing.T) {
	l := newLogins(t, func(o *config.OIDC) { o.Issuer = "http://127.0.0.1:1" })
	for _, fields := range []string{page, "Accept: application/json\r\n"} {
		want := 503
		if fields != page {
			want = 401
		}
		if a := l.browser().get("/", fields); a.status != want {
			t.Errorf("%q: %+v", fields, a)
		}
	}
	if a := l.browser().get("/oauth2/callback?state=0&code=1", page); a.status != 403 {
		t.Errorf("%+v", a)
	}
}

// A session that was ended at the provider is over here when it would be renewed; one with
// tokens that no cookies hold isn't begun.
func TestOIDCRefused(t *testing.T) {
	l := newLogins(t, nil).ready()
	b := l.browser()
	b.logIn("/")
	l.provider.Change.Store(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == oidctest.Token {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			w.Write([]byte(`{"error":"invalid_grant"}`))
		}
		return r.URL.Path == oidctest.Token
	})
	l.wait(4*time.Minute + 10*time.Second)
	if a := b.get("/", page); a.status != 200 {
		t.Errorf("while its tokens hold: %+v", a)
	}
	l.wait(time.Minute)
	if a := b.send("POST", "/", page); a.status != 401 {
		t.Errorf("%+v", a)
	}
	if a := b.get("/", page); a.status != 302 || b.cookies["__Host-session"] != "" {
		t.Errorf("afterwards: %+v", a)
	}

	l.provider.Change.Store(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != oidctest.Token {
			return false
		}
		result := httptest.NewRecorder()
		l.provider.Handler.ServeHTTP(result, r)
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(strings.Replace(result.Body.String(), `"refresh_token":"`, `"refresh_token":"`+strings.Repeat("x", 10_000), 1)))
		return true
	})
	at := l.provider.LogIn(t, b.get("/", page).location)
	if a := b.get(at.RequestURI(), page); a.status != 502 || b.cookies["__Host-session"] != "" {
		t.Errorf("too large: %+v", a)
	}
}

// Client credentials that are wrong are the gateway's trouble, and nobody else's.
func TestOIDCCredentials(t *testing.T) {
	l := newLogins(t, func(o *config.OIDC) { o.Secret = o.Keys }).ready()
	b := l.browser()
	at := l.provider.LogIn(t, b.get("/", page).location)
	if a := b.get(at.RequestURI(), page); a.status != 503 || !strings.Contains(l.log.String(), "client-secret") {
		t.Errorf("%+v: %s", a, l.log)
	}
}
