package redis

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/request/requesttest"
)

const patience = 30 * time.Second

// server starts a Redis of the test's own on a socket.
func server(t *testing.T, socket string) (stop func()) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("DYNO_TEST_REDIS") == "required" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed")
	}
	cmd := exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", filepath.Dir(socket))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() { cmd.Process.Kill(); cmd.Wait() }
	t.Cleanup(stop)
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, MaxRetries: -1})
	defer client.Close()
	until(t, "redis-server responds", func() bool { return client.Ping(context.Background()).Err() == nil })
	return stop
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
	}
}

// socket is a path short enough for one.
func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

func rules(socket string) config.Rate {
	return config.Rate{Requests: 60, Per: time.Minute, Burst: 10, Keys: 100, Key: config.RateRoute, Redis: &config.Redis{
		Address: "unix:" + socket, Prefix: "test:", Every: 10 * time.Millisecond, Timeout: patience,
	}}
}

func ledger(t *testing.T, rate config.Rate) *Ledger {
	t.Helper()
	r, err := NewLedger("api:0", &rate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// near is for times that the server's clock has a part in.
func near(got, want time.Duration) bool { return got <= want && got > want-10*time.Second }

func TestSettle(t *testing.T) {
	at := socket(t)
	server(t, at)
	ctx, rate := t.Context(), rules(at)
	a, b := ledger(t, rate), ledger(t, rate)
	settle := func(r *Ledger, n int, age time.Duration) time.Duration {
		t.Helper()
		e := []limit.Entry{{Key: [16]byte{1}, N: n, Age: age}}
		if err := r.Settle(ctx, e); err != nil {
			t.Fatal(err)
		}
		return e[0].Ahead
	}
	if got := settle(a, 5, 2*time.Second); !near(got, 3*time.Second) {
		t.Errorf("after 5 requests, the first two seconds ago: %v", got)
	}
	if got := settle(b, 10, 0); !near(got, 13*time.Second) {
		t.Errorf("after 10 of the other gateway: %v", got)
	}
	if got := settle(a, 100, 0); !near(got, 113*time.Second) {
		t.Errorf("after 100: %v", got)
	}
	// A server whose clock was set back has debts of the far future.
	if err := a.client.Set(ctx, "test:api:0:02000000000000000000000000000000", "9e15", 0).Err(); err != nil {
		t.Fatal(err)
	}
	e := []limit.Entry{{Key: [16]byte{2}, N: 1}}
	if err := a.Settle(ctx, e); err != nil || e[0].Ahead > 25*time.Second {
		t.Errorf("a key with a debt of years: %v, %v", e[0].Ahead, err)
	}
	if ttl := a.client.PTTL(ctx, "test:api:0:02000000000000000000000000000000").Val(); ttl <= 0 || ttl > time.Minute {
		t.Errorf("it is kept for %v", ttl)
	}
	many := make([]limit.Entry, 1200)
	for i := range many {
		many[i] = limit.Entry{Key: [16]byte{3, byte(i >> 8), byte(i)}, N: 1 + i%3}
	}
	if err := a.Settle(ctx, many); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if want := time.Duration(1+i%3) * time.Second; !near(many[i].Ahead, want) || many[i].Ahead <= 0 {
			t.Fatalf("entry %d: %v, want %v", i, many[i].Ahead, want)
		}
	}
	// A gateway that has gone, from before the server's clock was set back.
	if err := a.client.ZAdd(ctx, "test:api:0:gateways", redis.Z{Score: 9e12, Member: "gone"}).Err(); err != nil {
		t.Fatal(err)
	}
	for i, r := range []*Ledger{a, b, a} {
		if n, err := r.Peers(ctx); err != nil || n != min(i+1, 2) {
			t.Errorf("%d gateways, %v", n, err)
		}
	}
}

func TestPassword(t *testing.T) {
	at := socket(t)
	server(t, at)
	rate := rules(at)
	open := ledger(t, rate)
	if err := open.client.ConfigSet(t.Context(), "requirepass", "open sesame").Err(); err != nil {
		t.Fatal(err)
	}
	rate.Redis.Password = filepath.Join(t.TempDir(), "password")
	if _, err := NewLedger("api:0", &rate); err == nil {
		t.Error("a password that can't be read is none")
	}
	if err := os.WriteFile(rate.Redis.Password, []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger(t, rate).Peers(t.Context()); err != nil {
		t.Error(err)
	}
	rate.Redis.Password = ""
	if _, err := ledger(t, rate).Peers(t.Context()); err == nil {
		t.Error("it does without the password")
	}
}

// Two gateways keep a rate together, each alone when Redis is killed, and together again
// when there is another.
func TestGatewaysTogether(t *testing.T) {
	at := socket(t)
	stop := server(t, at)
	rate := rules(at)
	rate.Requests, rate.Per = 10, time.Hour
	var all []*limit.Shared
	for range 2 {
		ledger, err := NewLedger("api:0", &rate)
		if err != nil {
			t.Fatal(err)
		}
		s := limit.NewShared("api:0", rate, ledger)
		s.Start()
		t.Cleanup(s.Close)
		all = append(all, s)
	}
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	admit := func(s *limit.Shared) bool {
		r.Now = clock.Now()
		return s.Check(r) == nil
	}
	look := ledger(t, rate)
	owed := func() int { // requests, in the bucket of all
		keys := look.client.Keys(t.Context(), "test:api:0:0*").Val()
		if len(keys) != 1 {
			return 0
		}
		return int((look.client.PTTL(t.Context(), keys[0]).Val() + time.Minute) / (6 * time.Minute))
	}
	for range 10 {
		if !admit(all[0]) {
			t.Fatal("less than a burst is admitted")
		}
	}
	until(t, "the first has settled what it admitted", func() bool { return owed() == 10 })
	if !admit(all[1]) {
		t.Fatal("the second can't know of that")
	}
	until(t, "the second has settled too", func() bool { return owed() == 11 })
	// It has what Redis said to that when it settles what it admits next.
	for n := 12; admit(all[1]); n++ {
		if n > 13 {
			t.Fatal("the second doesn't learn what the first has admitted")
		}
		until(t, "the second has settled again", func() bool { return owed() == n })
	}
	stop()
	until(t, "both know that it is away", func() bool { return all[0].Away() && all[1].Away() })
	server(t, at)
	until(t, "both know that it is back", func() bool { return !all[0].Away() && !all[1].Away() })
}
