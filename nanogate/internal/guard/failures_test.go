package guard

import (
	"dyno.example/nanogate/internal/filter"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request/requesttest"
)

// perMinute is so much a minute.
func perMinute(n int) config.Rate {
	return config.Rate{Requests: n, Per: time.Minute, Burst: n, Keys: 1000}
}

// asked is what a guard says to a client; 200: it passes.
func asked(t *testing.T, g filter.Filter, client, fields string, now time.Duration) int {
	t.Helper()
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+fields+"\r\n")
	r.Now = 1e9 + int64(now)
	r.Client, _ = netip.ParseAddr(client)
	if a := decide(t, g, r); a != nil {
		if a.Status == 429 && !strings.Contains(string(a.Fields), "Retry-After: ") {
			t.Errorf("%s: no Retry-After in %q", client, a.Fields)
		}
		return a.Status
	}
	return 200
}

// Passwords can't be guessed at the speed of the machine: neither from one address, nor one
// person's from many. What was right before from an address goes on.
func TestBasicFailures(t *testing.T) {
	g, _ := basicGuard(t, config.Basic{Realm: "r", Cache: 100, Failures: config.Failures{Address: perMinute(5), Name: perMinute(20)}},
		"ann:"+hashed(t, "right")+"\nbob:"+hashed(t, "right too")+"\n")
	guess := func(user string, i int) string { return credentials(fmt.Sprintf("%s:wrong%d", user, i)) }
	const office, attacker = "192.0.2.1", "198.51.100.7"
	if got := asked(t, g, office, credentials("ann:right"), 0); got != 200 {
		t.Fatalf("the right password: %d", got)
	}
	for i := range 40 {
		want := 401
		if i >= 5 {
			want = 429
		}
		if got := asked(t, g, attacker, guess("bob", i), 0); got != want {
			t.Errorf("guess %d: %d, want %d", i, got, want)
		}
	}
	for _, c := range []struct {
		what, client, fields string
		now                  time.Duration
		want                 int
	}{
		{"guessed rightly by who is refused", attacker, credentials("bob:right too"), 0, 429},
		{"what somebody else has right, guessed by who is refused", attacker, credentials("ann:right"), 0, 429},
		{"none at all", attacker, "", 0, 401},
		{"somebody else", office, credentials("bob:right too"), 0, 200},
		{"later", attacker, guess("bob", 99), 12 * time.Second, 401},
		{"once", attacker, guess("bob", 99), 12 * time.Second, 429},
	} {
		if got := asked(t, g, c.client, c.fields, c.now); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	for i := range 5 { // mistyped at the office
		asked(t, g, office, guess("bob", i), 0)
	}
	if got := asked(t, g, office, credentials("ann:right"), 0); got != 200 {
		t.Errorf("what was right there before: %d", got)
	}
	if got := asked(t, g, office, guess("ann", 0), 0); got != 429 {
		t.Errorf("one more that is wrong: %d", got)
	}
	wrong := 0
	for i := range 100 { // from a hundred networks
		if asked(t, g, fmt.Sprintf("2001:db8:0:%x::1", i), guess("ann", i), time.Hour) == 401 {
			wrong++
		}
	}
	if wrong != 20 {
		t.Errorf("%d guesses of one person's password were looked at", wrong)
	}
	if got := asked(t, g, "2001:db8:0:ffff::1", credentials("bob:right too"), time.Hour); got != 200 {
		t.Errorf("another person: %d", got)
	}
	for range 50 { // right ones take nothing
		if got := asked(t, g, "192.0.2.9", credentials("bob:right too"), 2*time.Hour); got != 200 {
			t.Errorf("right again: %d", got)
		}
	}
}

// The same of keys.
func TestKeysFailures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("a: 0123456789abcdef\nb: fedcba9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, failures := range map[string]config.Failures{"5/m": {Address: perMinute(5)}, "off": {}} {
		g, err := NewKeys(&config.Keys{File: file, Header: "x-api-key", Failures: failures})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		key := func(key string) string { return "X-Api-Key: " + key + "\r\n" }
		if got := asked(t, g, "192.0.2.1", key("0123456789abcdef"), 0); got != 200 {
			t.Errorf("%s: %d", name, got)
		}
		for i := range 20 {
			want := 401
			if i >= 5 && name != "off" {
				want = 429
			}
			if got := asked(t, g, "192.0.2.1", key(fmt.Sprintf("guessed-key-no-%d", i)), 0); got != want {
				t.Errorf("%s: guess %d: %d, want %d", name, i, got, want)
			}
		}
		refused := 429
		if name == "off" {
			refused = 200
		}
		for _, c := range []struct {
			what, client, key string
			want              int
		}{
			{"known from there", "192.0.2.1", "0123456789abcdef", 200},
			{"guessed", "192.0.2.1", "fedcba9876543210", refused},
			{"from elsewhere", "192.0.2.2", "fedcba9876543210", 200},
			{"over a unix socket", "", "fedcba9876543210", 200},
		} {
			if got := asked(t, g, c.client, key(c.key), 0); got != c.want {
				t.Errorf("%s: %s: %d, want %d", name, c.what, got, c.want)
			}
		}
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n"+key("0123456789abcdef")+"\r\n")
		r.Client = netip.MustParseAddr("192.0.2.1")
		if n := testing.AllocsPerRun(100, func() { r.Begin(r.Head, r.Buf); g.Check(r) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
