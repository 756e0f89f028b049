//go:build linux

package etcd_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/etcd"
	"dyno.example/nanogate/internal/gateway"
)

// Endpoints change two hundred times in quick succession while requests are under way,
// and none fails; then those are asked that are there.
func TestTraffic(t *testing.T) {
	t.Parallel()
	c := etcd.Clean(t, "/traffic/")
	names := []string{"a", "b", "c", "d"}
	addresses := map[string]string{}
	for _, name := range names {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, name) }))
		defer s.Close()
		addresses[name] = strings.TrimPrefix(s.URL, "http://")
	}
	put := func(name string) {
		t.Helper()
		if _, err := c.Put(t.Context(), "/traffic/"+name, fmt.Sprintf(`{"Op":0,"Addr":%q}`, addresses[name])); err != nil {
			t.Fatal(err)
		}
	}
	put("a")
	parsed, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{to: u}]\nupstreams: {u: {etcd: {endpoints: ["+etcd.Server(t)+"], prefix: /traffic/}, balance: round-robin}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	found := discovery.NewSet(discovery.Options{Log: log})
	found.Put("etcd", etcd.Gateways(""))
	g, err := gateway.Start(parsed, gateway.Options{Loops: 2, Log: log, Found: found})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		g.Shutdown(ctx)
	}()
	url := "http://" + g.Addresses()[0].String() + "/"
	ask := func() string {
		resp, err := http.Get(url)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK || err != nil {
			return fmt.Sprint(resp.Status, err)
		}
		return string(b)
	}
	until := func(want map[string]bool) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); ; {
			got := map[string]bool{}
			for range 4 * len(names) {
				got[ask()] = true
			}
			if fmt.Sprint(got) == fmt.Sprint(want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%v are asked, want %v", got, want)
			}
		}
	}
	until(map[string]bool{"a": true})

	var stop atomic.Bool
	var served atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for !stop.Load() {
				if got := ask(); len(got) != 1 {
					t.Error(got)
					return
				}
				served.Add(1)
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 1))
	there := map[string]bool{"a": true}
	for range 200 {
		switch name := names[random.IntN(len(names))]; {
		case !there[name]:
			put(name)
			there[name] = true
		case len(there) > 1:
			if _, err := c.Delete(t.Context(), "/traffic/"+name, clientv3.WithPrefix()); err != nil {
				t.Fatal(err)
			}
			delete(there, name)
		}
	}
	for before := served.Load(); served.Load() == before && !t.Failed(); { // some come after each change
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	clients.Wait()
	until(there)
}
