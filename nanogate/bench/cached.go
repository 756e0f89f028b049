//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/nano"
)

// What a hit in the cache costs, beside the same 13 bytes by nano itself, which no gateway
// stands before, and nginx's proxy_cache. The upstream is asked while warming up only.
const (
	hits       = nanogate + ", a hit"
	nanoItself = "nano"
	nginxHits  = nginx + ", a hit"
)

func cacheCampaign() campaign {
	return campaign{
		name: "cache", connections: 64, seconds: 3, gateways: cacheGateways, load: (*lab).hit, path: plainPath, compare: compareHits,
		question: "What CPU time does a GET of 13 bytes take that the cache has a fresh response to, in a closed loop of 64 connections, beside nano's own /plaintext and nginx's proxy_cache?",
	}
}

var cacheGateways = []gateway{
	{name: hits, command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--loops", "1", "-c", l.write("cache.yaml", fmt.Sprintf(cacheFile, address, l.origin.Address))}
	}},
	{name: nanoItself, command: func(l *lab, address string) []string { return []string{l.Self, "nano", address} }},
	{nginxHits, []string{"nginx", "-v"}, func(l *lab, address string) []string {
		keep := fmt.Sprintf("proxy_cache_path %s/nginx-cache keys_zone=one:10m max_size=64m; open_file_cache max=1000;", l.Dir)
		return l.nginx("nginx-cache.conf", l.origin.Address, keep, address, nginxProxy+" proxy_cache one; add_header Cache-Status $upstream_cache_status;")
	}, "apt-get install nginx-light"},
}

const cacheFile = `listen: %s
routes: [{match: {path: "/*"}, cache: {}, to: "http://%s"}]
`

// origin is this program as the upstream of the caches: its response is fresh for a day.
func origin(address string) error {
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=86400")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("Hello, World!")) // who has gone doesn't want it
	}))
}

// plain is this program as nano, with one loop.
func plain(address string) error {
	app := nano.New(nano.Config{Loops: 1})
	app.Get(plainPath, func(c nano.Ctx) error { return c.Text(200, "Hello, World!") })
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- app.Listen(address) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return app.Shutdown(grace)
}

// hit puts the load on a cache that has the response, or on nano.
func (l *lab) hit(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	if t.Tool != nanoItself {
		if err := stored(ctx, "http://"+s.Address+c.path); err != nil {
			return err
		}
	}
	return l.load(ctx, c, s, t)
}

// stored asks for a URL until the cache says that it has it.
func stored(ctx context.Context, url string) error {
	said := ""
	for range 10 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || string(text) != "Hello, World!" {
			return fmt.Errorf("%s gives %s %q, %v", url, resp.Status, text, err)
		}
		if said = resp.Header.Get("Cache-Status"); strings.HasSuffix(strings.ToLower(said), "hit") || strings.Contains(said, "; hit;") {
			return nil
		}
	}
	return fmt.Errorf("%s isn't stored: Cache-Status is %q", url, said)
}

// compareHits compares a hit with the others.
func compareHits(s *rounds.Summary) {
	s.First = hits
	s.Comparisons = []rounds.Comparison{
		{Figure: cpuFigure, Of: hits, Against: []string{nanoItself}, Wanted: 1.3},
		{Figure: cpuFigure, Of: hits, Against: []string{nginxHits}, Wanted: 1},
	}
}
