package guard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/request/requesttest"
)

func TestOIDC(t *testing.T) {
	l := newLogins(t, nil).ready()
	b := l.browser()
	if back, _ := b.logIn("/cart?item=1&next=%2F"); back != "/cart?item=1&next=%2F" {
		t.Errorf("sent to %s", back)
	}
	if len(b.cookies) != 1 {
		t.Errorf("cookies %q", b.cookies)
	}
	for range 2 {
		a := b.get("/cart", page+"X-User: root\r\nX-Nothing: 1\r\nAuthorization: Basic YTpi\r\n")
		if a.status != 200 || !strings.Contains(a.forwards, "x-user: id2\r\n") || !strings.Contains(a.forwards, "authorization: Bearer ") ||
			!strings.Contains(a.forwards, "cookie: theme=dark\r\n") || strings.Contains(a.forwards, "__Host-") || strings.Contains(a.forwards, "x-nothing") ||
			!strings.Contains(a.drops, "x-nothing") || a.claims["sub"] != "id2" || a.claims["email"] != "test-user2@zitadel.ch" {
			t.Errorf("%+v", a)
		}
	}
	if a := b.ask("POST", "/cart", "Accept: application/json\r\n"); a.status != 200 {
		t.Errorf("%+v", a)
	}
	if n := l.provider.RequestCount(oidctest.Token); n != 1 {
		t.Errorf("the provider was asked for tokens %d times", n)
	}

	// Who has no session doesn't get in, and what a session is isn't for everybody to say.
	session := b.cookies["__Host-session"]
	other := "A"
	if session[len(session)-9:len(session)-8] == other {
		other = "B"
	}
	for name, value := range map[string]string{
		"none": "", "changed": session[:len(session)-9] + other + session[len(session)-8:], "cut": session[:len(session)-4], "of nobody": "1.AAAA",
		"of more parts": "2" + session[1:], "of too many": "9" + session[1:], "of no part": session[2:],
	} {
		stranger := l.browser()
		stranger.cookies["__Host-session"] = value
		if a := stranger.get("/cart", page); a.status != 302 || a.forwards != "" {
			t.Errorf("%s: %+v", name, a)
		}
		if a := stranger.get("/cart", "Accept: application/json\r\n"); a.status != 401 {
			t.Errorf("%s: %+v", name, a)
		}
	}

	r := requesttest.Parse(t, "GET /cart HTTP/1.1\r\nHost: gateway.example\r\nCookie: a=b; __Host-session="+session+"\r\n\r\n")
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(r.Head, r.Buf)
		if l.Check(r) != nil {
			t.Error("it doesn't pass")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	l.wait(time.Hour)
	if a := b.get("/cart", page); a.status != 302 {
		t.Errorf("after the session's end: %+v", a)
	}
}

// Only browsers that go to a page are sent elsewhere.
func TestOIDCRedirects(t *testing.T) {
	b := newLogins(t, nil).ready().browser()
	for _, c := range []struct {
		method, fields string
		status         int
	}{
		{"GET", "", 302}, {"HEAD", "", 302}, {"GET", page, 302}, {"GET", "Accept: */*\r\n", 302},
		{"GET", "Accept: text/html,application/json\r\nSec-Fetch-Mode: navigate\r\n", 302},
		{"POST", page, 401}, {"PUT", "", 401}, {"OPTIONS", "", 401}, {"GET", "Accept: application/json, text/plain, */*\r\n", 401},
		{"GET", "Accept: Application/JSON\r\n", 401}, {"GET", "Accept: application/problem+json\r\n", 401}, {"GET", "Accept: text/event-stream\r\n", 401},
		{"GET", page + "X-Requested-With: XMLHttpRequest\r\n", 401}, {"GET", page + "Sec-Fetch-Mode: cors\r\n", 401},
		{"GET", "Sec-Fetch-Mode: no-cors\r\nAccept: image/png\r\n", 401}, {"GET", page + "Connection: upgrade\r\nUpgrade: websocket\r\n", 401},
	} {
		if a := b.send(c.method, "/", c.fields); a.status != c.status || (a.location != "") != (c.status == 302) {
			t.Errorf("%s %q: %+v", c.method, c.fields, a)
		}
	}
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: gateway.example\r\n\r\n")
	if a := b.Check(r); a == nil || a.Status != 403 {
		t.Errorf("without TLS: %+v", a)
	}
	// The provider is asked for what it must be.
	at, err := url.Parse(b.send("GET", "/", page).location)
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": oidctest.ClientID, "redirect_uri": "https://gateway.example/oauth2/callback",
		"scope": "openid profile email offline_access", "code_challenge_method": "S256",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(name)) < 20 {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
}

// Nobody is sent to another origin, whatever was asked for.
func TestOIDCReturns(t *testing.T) {
	l := newLogins(t, nil).ready()
	for target, want := range map[string]string{
		"//evil.example/a": "/", "/a%5C": "/a%5C", "/?next=//evil.example": "/?next=//evil.example", "/" + strings.Repeat("a", 2000): "/",
	} {
		if back, _ := l.browser().logIn(target); back != want {
			t.Errorf("%.40s: sent to %.40s, want %.40s", target, back, want)
		}
	}
	for back, status := range map[string]int{
		"": 302, "/cart": 302, "/cart?a=b": 302, "//evil.example": 400, `/\evil.example`: 400, "https://evil.example": 400, "/\t/evil.example": 400,
		"/a\r\nSet-Cookie: a=b": 400, "javascript:alert(1)": 400, "cart": 400,
	} {
		b := l.browser()
		target := "/oauth2/login?return=" + url.QueryEscape(back)
		a := b.get(target, page)
		if a.status != status {
			t.Errorf("%q: %+v", back, a)
		}
		if status == 302 {
			if got, _ := b.logIn(target); got != back && !(back == "" && got == "/") {
				t.Errorf("%q: sent to %q", back, got)
			}
		}
	}
	if a := l.browser().get("/oauth2/login?return=/a&return=//evil.example", page); a.status != 400 {
		t.Errorf("two of them: %+v", a)
	}
}

// A response of the provider's is for the browser that began the login, once.
func TestOIDCCallback(t *testing.T) {
	l := newLogins(t, nil).ready()
	mallory, victim := l.browser(), l.browser()
	sent := mallory.get("/", page)
	callback := l.provider.LogIn(t, sent.location).RequestURI()
	victim.get("/", page) // has begun a login too
	if a := victim.get(callback, page); a.status != 403 || len(a.set) != 0 {
		t.Errorf("of another browser: %+v", a)
	}
	kept := l.browser()
	for name, value := range mallory.cookies {
		kept.cookies[name] = value
	}
	if a := mallory.get(callback, page); a.status != 302 {
		t.Fatalf("%+v", a)
	}
	if a := mallory.get(callback, page); a.status != 403 {
		t.Errorf("again: %+v", a)
	}
	if a := kept.get(callback, page); a.status != 403 || len(kept.cookies) != 0 {
		t.Errorf("again, with the login's cookie: %+v", a)
	}

	for name, c := range map[string]struct {
		change func(url.Values)
		status int
	}{
		"no state":       {func(q url.Values) { q.Del("state") }, 403},
		"another state":  {func(q url.Values) { q.Set("state", q.Get("state")+"x") }, 403},
		"two states":     {func(q url.Values) { q.Add("state", q.Get("state")) }, 403},
		"no code":        {func(q url.Values) { q.Del("code") }, 403},
		"another code":   {func(q url.Values) { q.Set("code", "x") }, 403},
		"denied":         {func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, 403},
		"trouble":        {func(q url.Values) { q.Del("code"); q.Set("error", "server_error") }, 503},
		"another issuer": {func(q url.Values) { q.Set("iss", "https://evil.example") }, 403},
		"the issuer":     {func(q url.Values) { q.Set("iss", l.provider.URL) }, 302},
	} {
		b := l.browser()
		at := l.provider.LogIn(t, b.get("/", page).location)
		q := at.Query()
		c.change(q)
		a := b.get("/oauth2/callback?"+q.Encode(), page)
		if a.status != c.status || (b.cookies["__Host-session"] != "") != (c.status == 302) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	b := l.browser()
	at := l.provider.LogIn(t, b.get("/", page).location)
	l.wait(11 * time.Minute)
	if a := b.get(at.RequestURI(), page); a.status != 403 {
		t.Errorf("too late: %+v", a)
	}
	if a := b.ask("POST", at.RequestURI(), page); a.status != 405 {
		t.Errorf("by POST: %+v", a)
	}
	// Several tabs of a browser log in at once.
	tabs := l.browser()
	one, two := tabs.get("/one", page), tabs.get("/two", page)
	for want, sent := range map[string]result{"/one": one, "/two": two} {
		if a := tabs.get(l.provider.LogIn(t, sent.location).RequestURI(), page); a.status != 302 || a.location != want {
			t.Errorf("%s: %+v", want, a)
		}
	}
}

// ID tokens that are somebody else's aren't taken, and new keys of the provider's are found.
func TestOIDCKeysOfProvider(t *testing.T) {
	l := newLogins(t, nil).ready()
	early := l.browser()
	early.logIn("/")
	l.provider.Rotate(t)
	late := l.browser()
	late.logIn("/")
	for _, b := range []*browser{early, late} {
		if a := b.get("/", page); a.status != 200 {
			t.Errorf("%+v", a)
		}
	}
	// A token of another login: its nonce isn't this one's.
	other := l.browser()
	l.provider.Change.Store(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/authorize" || r.FormValue("nonce") == "another" {
			return false
		}
		q := r.URL.Query()
		q.Set("nonce", "another")
		http.Redirect(w, r, "/authorize?"+q.Encode(), http.StatusFound)
		return true
	})
	at := l.provider.LogIn(t, other.get("/", page).location)
	if a := other.get(at.RequestURI(), page); a.status != 502 || other.cookies["__Host-session"] != "" {
		t.Errorf("a nonce of another login: %+v", a)
	}
	if !strings.Contains(l.log.String(), "nonce") {
		t.Errorf("the log doesn't say why: %s", l.log)
	}
}

// A claim that is missing is no reason to log in again.
func TestOIDCClaims(t *testing.T) {
	l := newLogins(t, func(o *config.OIDC) { o.Claims = []config.Claim{{Name: "preferred_username", Value: "test-user2"}} }).ready()
	b := l.browser()
	b.logIn("/")
	if a := b.get("/", page); a.status != 200 {
		t.Errorf("%+v", a)
	}
	l.rules.Claims[0].Value = "somebody else"
	other := l.browser()
	other.logIn("/")
	if a := other.get("/", page); a.status != 403 {
		t.Errorf("%+v", a)
	}
}

// Logging out ends the session here and at the provider.
func TestOIDCLogout(t *testing.T) {
	l := newLogins(t, nil).ready()
	b := l.browser()
	if a := b.get("/oauth2/logout", page); a.status != 303 || a.location != "/bye" {
		t.Errorf("without a session: %+v", a)
	}
	b.logIn("/")
	if a := b.get("/oauth2/logout", page+"Sec-Fetch-Site: cross-site\r\n"); a.status != 403 || len(b.cookies) != 1 {
		t.Errorf("by another site: %+v", a)
	}
	a := b.ask("POST", "/oauth2/logout", page+"Sec-Fetch-Site: same-origin\r\n")
	if a.status != 303 || len(b.cookies) != 0 {
		t.Errorf("%+v, %q", a, b.cookies)
	}
	if at := l.provider.LogIn(t, a.location); at.String() != "https://gateway.example/bye" {
		t.Errorf("sent to %s", at)
	}
	if a := b.get("/", page); a.status != 302 {
		t.Errorf("%+v", a)
	}
}
