package oidc

import (
	"encoding/base64"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request/requesttest"
)

// testClient is a client whose provider is never reached.
func testClient(t *testing.T, cookie string) (c *Client, file string, now *time.Time) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "keys")
	write(t, file, secretOf("a"))
	at := time.Now().Truncate(time.Second)
	clients := &Clients{Now: func() time.Time { return at }}
	c, err := clients.Get(&config.OIDC{OIDCClient: config.OIDCClient{
		Issuer: "http://127.0.0.1:1", ID: "app", Keys: file, Cookie: cookie, Session: time.Hour, Refresh: time.Hour, Callback: "/cb",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, file, &at
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sent is what a browser sends of the cookies that it was given.
func sent(lines []string) string {
	var cookies []string
	for _, line := range lines {
		pair, _, _ := strings.Cut(line, ";")
		if !strings.HasSuffix(pair, "=") {
			cookies = append(cookies, pair)
		}
	}
	return "GET / HTTP/1.1\r\nHost: a\r\nCookie: x=y; " + strings.Join(cookies, "; ") + "\r\n\r\n"
}

// reopened is the session that lines hold, nil if there is none.
func reopened(t *testing.T, c *Client, lines []string) (s *Session, parts int) {
	t.Helper()
	var found [MostCookies][]byte
	n := c.Cookies.Parts(requesttest.Parse(t, sent(lines)), &found)
	if n == 0 {
		return nil, 0
	}
	s, err := c.Open(c.Keys(), found[:n])
	if err != nil {
		return nil, n
	}
	return s, n
}

// A session of any size comes back as it was, in as many cookies as it needs, none of more
// than browsers take; or is refused by its size.
func TestSessionSizes(t *testing.T) {
	c, _, now := testClient(t, "s")
	for _, size := range []int{0, 100, 2700, 2800, 2900, 5500, 5700, 8000, 8300, 8500, 9000, 100_000} {
		s := &Session{Until: now.Add(time.Hour), Began: *now, Obtained: *now, Expires: now.Add(time.Minute), ID: strings.Repeat("i", size), Access: "access", Refresh: "refresh"}
		lines, err := c.seal(s)
		if _, large := errors.AsType[*TooLargeError](err); large {
			if size < 8300 {
				t.Errorf("%d bytes: %v", size, err)
			}
			continue
		}
		if err != nil || size > 8500 {
			t.Fatalf("%d bytes: %v", size, err)
		}
		for _, line := range lines {
			if len(line) > 4096 {
				t.Errorf("%d bytes: a cookie of %d", size, len(line))
			}
			for _, attribute := range []string{"; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax", "; Max-Age="} {
				if !strings.Contains(line, attribute) || !strings.HasPrefix(line, "__Host-s") {
					t.Errorf("%.20s… has no %s", line, attribute)
				}
			}
		}
		got, n := reopened(t, c, lines)
		if got == nil || *got != *s {
			t.Errorf("%d bytes, in %d cookies: %+v", size, n, got)
		}
		if n > 1 {
			lines[1] = lines[0]
			if got, _ := reopened(t, c, lines); got != nil {
				t.Errorf("%d bytes: a part is missing, and there is a session", size)
			}
		}
	}
}

// Cookies are for one client and one purpose, and end.
func TestSessionIsOurs(t *testing.T) {
	c, file, now := testClient(t, "s")
	s := &Session{Until: now.Add(time.Hour), Began: *now, Obtained: *now, Expires: now.Add(time.Minute), ID: "id"}
	lines, err := c.seal(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := reopened(t, c, lines); got == nil {
		t.Fatal("there is no session")
	}
	purpose := c.purpose
	c.purpose = "http://127.0.0.1:1\x00another\x00"
	if got, _ := reopened(t, c, lines); got != nil {
		t.Error("another client takes it")
	}
	c.purpose = purpose
	*now = now.Add(time.Minute)
	if got, _ := reopened(t, c, lines); got != nil {
		t.Error("its tokens have expired, and can't be renewed")
	}
	*now = now.Add(-time.Minute)
	s.Refresh = "refresh"
	lines, _ = c.seal(s)
	*now = now.Add(59 * time.Minute)
	if got, _ := reopened(t, c, lines); got == nil {
		t.Error("it can be renewed, and there is none")
	}
	*now = now.Add(time.Minute)
	if got, _ := reopened(t, c, lines); got != nil {
		t.Error("it is over")
	}
	*now = now.Add(-time.Hour)

	// Keys rotate: the new one is added, used, and the old one removed.
	for i, c2 := range []struct {
		text string
		good bool
	}{{secretOf("a") + "\n" + secretOf("b"), true}, {secretOf("b") + "\n" + secretOf("a"), true}, {secretOf("b"), false}} {
		write(t, file, c2.text)
		if err := c.keys.Look(); err != nil {
			t.Fatal(err)
		}
		if got, _ := reopened(t, c, lines); (got != nil) != c2.good {
			t.Errorf("step %d: %v", i, got)
		}
		fresh, err := c.seal(s)
		if got, _ := reopened(t, c, fresh); got == nil {
			t.Errorf("step %d: a new session isn't read: %v", i, err)
		}
	}
	write(t, file, "broken")
	if err := c.keys.Look(); err == nil || c.Keys() == nil {
		t.Errorf("a file that is broken: %v", err)
	}
}

func TestRenewAt(t *testing.T) {
	at := time.Unix(1e9, 0)
	for lifetime, before := range map[time.Duration]time.Duration{time.Hour: time.Minute, 5 * time.Minute: time.Minute, time.Minute: 12 * time.Second, 0: 0} {
		s := &Session{Obtained: at, Expires: at.Add(lifetime)}
		if got := s.Expires.Sub(s.RenewAt()); got != before {
			t.Errorf("of %s: %s before the end, want %s", lifetime, got, before)
		}
	}
}

// What a provider says of itself is held against what is known of it.
func TestParseProvider(t *testing.T) {
	const good = `{"issuer":"https://id.example","authorization_endpoint":"https://id.example/auth","token_endpoint":"https://id.example/token","jwks_uri":"https://id.example/keys"`
	for _, c := range []struct{ name, text, problem string }{
		{"all there is", good + `,"id_token_signing_alg_values_supported":["none","HS256","ES256"]}`, ""},
		{"another one", strings.Replace(good, "https://id.example\"", "https://evil.example\"", 1) + "}", `it says that it is "https://evil.example"`},
		{"with a slash", strings.Replace(good, "https://id.example\"", "https://id.example/\"", 1) + "}", "to the letter"},
		{"no keys", strings.Replace(good, "jwks_uri", "jwks", 1) + "}", "its jwks_uri is"},
		{"without TLS", strings.Replace(good, "https://id.example/token", "http://id.example/token", 1) + "}", "its token_endpoint is"},
		{"a script", strings.Replace(good, "https://id.example/auth", "javascript:alert(1)", 1) + "}", "its authorization_endpoint is"},
		{"no JSON", "<html>", "invalid character"},
	} {
		client := &Client{rules: config.OIDCClient{Issuer: "https://id.example", ID: "app"}, http: newHTTP(http.DefaultTransport), now: time.Now}
		p, err := client.parseProvider([]byte(c.text))
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p == nil {
			continue
		}
		if strings.Join(p.says.Algorithms, " ") != "ES256" {
			t.Errorf("%s: algorithms %v", c.name, p.says.Algorithms)
		}
		if again, err := client.parseProvider([]byte(c.text)); again != p || err != nil {
			t.Errorf("%s: said again, it is another one", c.name)
		}
	}
}

func TestClaims(t *testing.T) {
	coded := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"ann","n":1}`))
	for _, c := range []struct {
		id   string
		good bool
	}{{"h." + coded + ".s", true}, {"", false}, {"a.b", false}, {"h.!.s", false}, {"h.e30.s", true}, {"h.bnVsbA.s", true}, {"h.W10.s", false}} {
		claims, err := (&Session{ID: c.id}).Claims()
		if (err == nil) != c.good {
			t.Errorf("%q: %v, %v", c.id, claims, err)
		}
	}
}

// A login whose session would be over at once is refused, with the reason.
func TestBegins(t *testing.T) {
	c, _, now := testClient(t, "s")
	const id = "e30.eyJzdWIiOiJhIiwic2lkIjoieCJ9.e30" // {"sub":"a","sid":"x"}
	c.logouts.add(Logout{markOf("sid", "x"), now.Add(-10 * time.Minute).Unix(), now.Add(time.Hour).Unix()}, *now)
	for want, s := range map[string]*Session{
		"":                               {Began: now.Add(-9 * time.Minute), Expires: now.Add(time.Minute), Until: now.Add(time.Hour)},
		"longer ago than a session":      {Began: now.Add(-time.Hour - time.Minute), Expires: now.Add(time.Minute), Until: now.Add(time.Hour)},
		"in the future":                  {Began: now.Add(time.Minute), Expires: now.Add(time.Minute), Until: now.Add(time.Hour)},
		"expired already":                {Began: *now, Expires: *now, Until: now.Add(time.Hour)},
		"a logout that is later than th": {Began: now.Add(-11 * time.Minute), Expires: now.Add(time.Minute), Until: now.Add(time.Hour)},
	} {
		s.ID = id
		if err := c.begins(s, *now); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A provider that gives the same two refresh tokens in turn, and tokens that have expired,
// ends no loop of ours; one that lets a refresh token be used again has sessions renewed.
func TestRenewalsInTurn(t *testing.T) {
	c, _, now := testClient(t, "s")
	ended := func(key, refresh string, expires time.Duration) *Session {
		r := &Renewal{done: make(chan struct{}), session: &Session{Refresh: refresh, Obtained: *now, Expires: now.Add(expires)}}
		close(r.done)
		c.renewals.young[keyOf(&Session{Refresh: key})] = r
		return r.session
	}
	ended("a", "b", -time.Second)
	ended("b", "a", -time.Second)
	if _, r := c.Renewal(&Session{Refresh: "a"}); r == nil || !r.Done() {
		t.Errorf("a circle: %+v", r)
	}
	last := ended("b", "c", time.Minute)
	if s, r := c.Renewal(&Session{Refresh: "a"}); r == nil || r.session != last || s.Refresh != "b" {
		t.Errorf("the last of two: %+v, %+v", s, r)
	}
	delete(c.renewals.young, keyOf(&Session{Refresh: "b"}))
	if s, r := c.Renewal(&Session{Refresh: "a"}); r != nil || s.Refresh != "b" {
		t.Errorf("one that is to be renewed: %+v, %+v", s, r)
	}
	ended("same", "same", -time.Second)
	if s, r := c.Renewal(&Session{Refresh: "same"}); r != nil || s.Refresh != "same" {
		t.Errorf("a refresh token that stays: %+v, %+v", s, r)
	}
	ended("same", "same", time.Minute)
	if _, r := c.Renewal(&Session{Refresh: "same"}); r == nil {
		t.Error("a refresh token that stays, and was renewed just now")
	}
}
