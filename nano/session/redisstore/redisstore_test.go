package redisstore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/session"
)

// server starts a Redis of the test's own, on a unix socket.
func server(t *testing.T) *redis.Client {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("DYNO_TEST_REDIS") == "required" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed")
	}
	dir, err := os.MkdirTemp("", "redis") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	cmd := exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, MaxRetries: -1})
	t.Cleanup(func() { client.Close() })
	for deadline := time.Now().Add(30 * time.Second); client.Ping(context.Background()).Err() != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("redis-server doesn't respond")
		}
	}
	return client
}

func app(store session.Store) *nanotest.Client {
	a := nano.New(nano.Config{})
	a.Use(session.New(session.Config{Store: store, Insecure: true, Keep: time.Hour}))
	a.Post("/login", func(c nano.Ctx) error { session.Of(c).Set("user", "ada"); return c.NoContent(204) })
	a.Post("/logout", func(c nano.Ctx) error { session.Of(c).End(); return c.NoContent(204) })
	a.Get("/", func(c nano.Ctx) error { return c.Text(200, session.Of(c).Get("user")) })
	return nanotest.New(a).KeepCookies()
}

func TestRedis(t *testing.T) {
	redis := server(t)
	ctx := context.Background()
	client := app(New(redis, "shop:"))
	if got := client.Post("/login").Do(); got.Status != 204 {
		t.Fatalf("%d %s", got.Status, got.Text())
	}
	if got := client.Get("/").Do(); got.Text() != "ada" {
		t.Errorf("%q", got.Text())
	}
	keys, err := redis.Keys(ctx, "shop:*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("%q, %v", keys, err)
	}
	if left := redis.TTL(ctx, keys[0]).Val(); left <= 0 || left > time.Hour {
		t.Errorf("it is kept for %v", left)
	}
	client.Post("/logout").Do()
	if n := redis.Exists(ctx, keys[0]).Val(); n != 0 {
		t.Error("it is there after its end")
	}
	// One that somebody else has spoiled is no session, and no empty one either.
	client.Post("/login").Do()
	keys, _ = redis.Keys(ctx, "shop:*").Result()
	redis.Set(ctx, keys[0], "{", 0)
	if got := client.Get("/").Do(); got.Status != 503 {
		t.Errorf("a spoiled one gets %d", got.Status)
	}
}

func TestRedisThatIsAway(t *testing.T) {
	away := redis.NewClient(&redis.Options{Network: "unix", Addr: "/nowhere", MaxRetries: -1})
	defer away.Close()
	if got := app(New(away, "shop:")).Post("/login").Do(); got.Status != 503 {
		t.Errorf("%d", got.Status)
	}
}
