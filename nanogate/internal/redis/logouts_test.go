package redis

import (
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc"
)

// heard is what one gateway has heard of logouts.
type heard struct {
	mu  sync.Mutex
	all []oidc.Logout
}

func (h *heard) add(one oidc.Logout) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, one)
}

func (h *heard) is(want ...oidc.Logout) func() bool {
	return func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.all) != len(want) {
			return false
		}
		for i := range want {
			if h.all[i] != want[i] {
				return false
			}
		}
		return true
	}
}

// following is a board of a client of that name, and what is heard by it.
func following(t *testing.T, socket, name string, most int) (*Logouts, *heard) {
	t.Helper()
	l, err := NewLogouts(&config.Redis{Address: "unix:" + socket, Prefix: "test:", Timeout: patience}, name, time.Hour, most, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h, done := &heard{}, make(chan struct{})
	go func() { defer close(done); l.Follow(h.add) }()
	t.Cleanup(func() { l.Close(); <-done })
	return l, h
}

// What one gateway tells all hear, who is started later too, and other clients' don't. Redis
// may go and come: what was told meanwhile isn't lost for who was told that it failed.
func TestLogouts(t *testing.T) {
	at := socket(t)
	stop := server(t, at)
	one, first := following(t, at, "a", 100)
	_, second := following(t, at, "a", 100)
	_, other := following(t, at, "b", 100)
	ann, bob := oidc.Logout{Subject: oidc.Mark{1, 2, 255}, At: 5, Until: 7}, oidc.Logout{Subject: oidc.Mark{3}, At: 6, Until: 8}
	if err := one.Tell(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	until(t, "both hear of it", func() bool { return first.is(ann)() && second.is(ann)() })
	if err := one.Tell(t.Context(), bob); err != nil {
		t.Fatal(err)
	}
	_, third := following(t, at, "a", 100)
	until(t, "all hear of both", func() bool { return first.is(ann, bob)() && second.is(ann, bob)() && third.is(ann, bob)() })
	if !other.is()() {
		t.Error("another client hears of them")
	}
	if left := one.client.TTL(t.Context(), one.key).Val(); left <= 0 || left > time.Hour {
		t.Errorf("they are kept for %v", left)
	}
	stop()
	if err := one.Tell(t.Context(), ann); err == nil || strings.Contains(err.Error(), "test:") {
		t.Errorf("without a server: %v", err)
	}
	server(t, at)
	until(t, "it can be told again", func() bool { return one.Tell(t.Context(), ann) == nil })
	until(t, "all hear of it", func() bool { return second.is(ann, bob, ann)() && third.is(ann, bob, ann)() })
}

// So many are kept at most, the last ones.
func TestLogoutsAreBounded(t *testing.T) {
	at := socket(t)
	server(t, at)
	l, _ := following(t, at, "a", 10)
	for i := range byte(30) {
		if err := l.Tell(t.Context(), oidc.Logout{Subject: oidc.Mark{i}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := l.client.XLen(t.Context(), l.key).Val(); n != 10 {
		t.Errorf("%d are kept", n)
	}
}

// What stands there and is none is left out.
func TestNoLogout(t *testing.T) {
	for _, values := range []map[string]any{{}, {"who": "zz", "at": "1", "until": "2"}, {"who": strings.Repeat("00", 16), "at": "x", "until": "2"}, {"who": strings.Repeat("00", 15), "at": "1", "until": "2"}, {"who": strings.Repeat("00", 16), "at": "1"}} {
		if one, ok := logoutOf(values); ok {
			t.Errorf("%v: %+v", values, one)
		}
	}
	if _, err := NewLogouts(&config.Redis{Address: "127.0.0.1:1", Password: filepath.Join(t.TempDir(), "none")}, "a", time.Hour, 1, slog.Default()); err == nil {
		t.Error("a password's file that isn't there")
	}
}
