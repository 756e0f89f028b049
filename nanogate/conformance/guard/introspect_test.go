package guard_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/oidc/oidctest"
	"dyno.example/nanogate/internal/request/requesttest"
)

// asking is a guard that asks a server.
type asking struct {
	*guard.Introspect
	t   *testing.T
	log *journal
}

func newAsking(t *testing.T, url string, change func(*config.Introspect)) *asking {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oidctest.ClientSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := &config.Introspect{URL: url, ID: oidctest.ClientID, Secret: secret, Timeout: time.Minute, Keep: time.Minute, Refused: 5 * time.Second, Cache: 100,
		Forward: []config.Claim{{Name: "sub", Value: "x-user"}}}
	if change != nil {
		change(rules)
	}
	log := &journal{}
	g, err := guard.NewIntrospect(rules, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &asking{g, t, log}
}

// status is what a token gets; 200 lets it pass. It is safe for many goroutines.
func (a *asking) status(token string) (status int, forwards string) {
	a.t.Helper()
	r := requesttest.Parse(a.t, "GET / HTTP/1.1\r\nHost: a\r\nX-User: root\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	if reply := decide(a.t, a.Introspect, r); reply != nil {
		return reply.Status, string(r.Forwards())
	}
	return 200, string(r.Forwards())
}

// Tokens of a provider that is real are asked about once, pass until they expire, and pass
// when it is away; nobody else does then.
func TestIntrospect(t *testing.T) {
	logged := newLogins(t, nil).ready()
	b := logged.browser()
	b.logIn("/")
	token := strings.TrimPrefix(b.get("/", page).authorization(), "Bearer ")
	provider := logged.provider
	a := newAsking(t, provider.URL+oidctest.Introspect, func(i *config.Introspect) {
		i.Claims = []config.Claim{{Name: "client_id", Value: oidctest.ClientID}, {Name: "scope", Value: "profile"}}
	})
	now := time.Now()
	a.Now = func() time.Time { return now }
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if status, forwards := a.status(token); status != 200 || forwards != "x-user: id2\r\n" {
				t.Errorf("%d, %q, %s", status, forwards, a.log)
			}
		})
	}
	all.Wait()
	if n := provider.RequestCount(oidctest.Introspect); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	for range 2 {
		if status, forwards := a.status("another"); status != 401 || forwards != "" {
			t.Errorf("another token: %d, %q", status, forwards)
		}
	}
	if n := provider.RequestCount(oidctest.Introspect); n != 2 {
		t.Errorf("it was asked %d times", n)
	}
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	if n := testing.AllocsPerRun(100, func() {
		r.Begin(r.Head, r.Buf)
		if a.Check(r) != nil {
			t.Error("it doesn't pass")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}

	provider.Away.Store(true)
	if status, _ := a.status(token); status != 200 {
		t.Errorf("the provider is away: %d", status)
	}
	if status, _ := a.status("unknown"); status != 503 {
		t.Errorf("the provider is away, and the token isn't known: %d", status)
	}
	if strings.Contains(a.log.String(), "unknown") || strings.Contains(a.log.String(), oidctest.ClientSecret) || !strings.Contains(a.log.String(), provider.URL) {
		t.Errorf("the log: %s", a.log)
	}
	now = now.Add(time.Minute)
	if status, _ := a.status(token); status != 503 {
		t.Errorf("it was kept for too long: %d", status)
	}
	provider.Away.Store(false)
	if status, _ := a.status(token); status != 200 {
		t.Errorf("the provider is back: %d", status)
	}
	now = now.Add(4*time.Minute + 30*time.Second)
	if status, _ := a.status(token); status != 401 {
		t.Errorf("it has expired: %d", status)
	}
}

// A server's response is checked against what is known.
func TestIntrospectResponses(t *testing.T) {
	now := time.Now()
	var body, header atomic.Value
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		header.Store(r.Header.Get("Authorization") + " " + string(sent))
		w.WriteHeader(status)
		fmt.Fprint(w, body.Load())
	}))
	defer server.Close()
	for i, c := range []struct {
		response string
		code     int
		change   func(*config.Introspect)
		want     int
	}{
		{`{"active":true,"sub":"ann"}`, 200, nil, 200},
		{`{"active":false}`, 200, nil, 401},
		{`{"active":"true"}`, 200, nil, 503},
		{`{"active":1}`, 200, nil, 503},
		{`{}`, 200, nil, 503},
		{`null`, 200, nil, 503},
		{`[]`, 200, nil, 503},
		{``, 200, nil, 503},
		{`{"active":true}`, 401, nil, 503},
		{`{"active":true}`, 500, nil, 503},
		{`{"active":true}`, 302, nil, 503},
		{fmt.Sprintf(`{"active":true,"exp":%d}`, now.Unix()), 200, nil, 401},
		{fmt.Sprintf(`{"active":true,"exp":%d}`, now.Unix()+9), 200, nil, 200},
		{fmt.Sprintf(`{"active":true,"nbf":%d}`, now.Unix()+60), 200, nil, 401},
		{`{"active":true,"aud":"api"}`, 200, func(i *config.Introspect) { i.Audience = "api" }, 200},
		{`{"active":true,"aud":["web","api"]}`, 200, func(i *config.Introspect) { i.Audience = "api" }, 200},
		{`{"active":true,"aud":"web api"}`, 200, func(i *config.Introspect) { i.Audience = "api" }, 401},
		{`{"active":true}`, 200, func(i *config.Introspect) { i.Audience = "api" }, 401},
		{`{"active":true,"iss":"https://id.example"}`, 200, func(i *config.Introspect) { i.Issuer = "https://id.example" }, 200},
		{`{"active":true}`, 200, func(i *config.Introspect) { i.Issuer = "https://id.example" }, 401},
		{`{"active":true,"scope":"read write"}`, 200, func(i *config.Introspect) { i.Claims = []config.Claim{{Name: "scope", Value: "write"}} }, 200},
		{`{"active":true,"scope":"read"}`, 200, func(i *config.Introspect) { i.Claims = []config.Claim{{Name: "scope", Value: "write"}} }, 403},
	} {
		body.Store(c.response)
		status = c.code
		a := newAsking(t, server.URL, c.change)
		a.Now = func() time.Time { return now }
		if got, _ := a.status("opaque"); got != c.want {
			t.Errorf("%d: %s, %d: %d, want %d, %s", i, c.response, c.code, got, c.want, a.log)
		}
		if got, _ := a.status(strings.Repeat("x", 8<<10+1)); got != 401 {
			t.Errorf("a token that is too long: %d", got)
		}
	}
	want := "Basic Z2F0ZXdheTpzZWNyZXQrb2YrdGhlK2dhdGV3YXk= token=opaque&token_type_hint=access_token"
	if got := header.Load(); got != want {
		t.Errorf("the server was asked %q, want %q", got, want)
	}
}

// Nobody takes all the room: of one address so many tokens are asked about at once.
func TestIntrospectIsBounded(t *testing.T) {
	go1 := make(chan bool)
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		<-go1
		fmt.Fprint(w, `{"active":true}`)
	}))
	defer server.Close()
	a := newAsking(t, server.URL, nil)
	var all sync.WaitGroup
	var passes, crowded atomic.Int32
	const questionsEach = 32 // as the documentation has it
	for i := range 2 * questionsEach {
		all.Go(func() {
			switch status, _ := a.status(fmt.Sprint("token ", i)); status {
			case 200:
				passes.Add(1)
			case 429:
				crowded.Add(1)
			default:
				t.Errorf("%d", status)
			}
		})
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && (asked.Load() != questionsEach || crowded.Load() != questionsEach); {
		time.Sleep(5 * time.Millisecond)
	}
	close(go1)
	all.Wait()
	if passes.Load() != questionsEach || crowded.Load() != questionsEach {
		t.Errorf("%d pass, %d are refused", passes.Load(), crowded.Load())
	}
}
