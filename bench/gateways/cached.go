//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"dyno/bench/rounds"
	"dyno/nano"
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
		name: "cache", connections: 64, seconds: 3, gateways: cacheGateways, load: (*lab).load, path: plainPath,
		question: "What CPU time does a GET of 13 bytes take that the cache has a fresh response to, in a closed loop of 64 connections, beside nano's own /plaintext and nginx's proxy_cache?",
	}
}

var cacheGateways = []gateway{
	{name: hits, command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--loops", "1", "-c", l.write("cache.yaml", fmt.Sprintf(cacheFile, address, l.origin.Address))}
	}},
	{name: nanoItself, command: func(l *lab, address string) []string { return []string{l.self, "nano", address} }},
	{nginxHits, []string{"nginx", "-v"}, func(l *lab, address string) []string {
		return []string{"nginx", "-p", l.dir, "-e", "stderr", "-c", l.write("nginx-cache.conf", fmt.Sprintf(nginxCacheFile, l.dir, l.origin.Address, address))}
	}, "apt-get install nginx-light"},
}

const cacheFile = `listen: %s
routes: [{match: {path: "/*"}, cache: {}, to: "http://%s"}]
`

const nginxCacheFile = `daemon off;
master_process off;
worker_processes 1;
pid %[1]s/nginx.pid;
events { worker_connections 8192; }
http {
    access_log off;
    keepalive_requests 100000000;
    client_body_temp_path %[1]s;
    proxy_temp_path %[1]s;
    fastcgi_temp_path %[1]s;
    uwsgi_temp_path %[1]s;
    scgi_temp_path %[1]s;
    proxy_cache_path %[1]s/nginx-cache keys_zone=one:10m max_size=64m;
    open_file_cache max=1000;
    upstream one { server %[2]s; keepalive 1024; }
    server {
        listen %[3]s;
        location / {
            proxy_pass http://one;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_cache one;
            add_header Cache-Status $upstream_cache_status;
        }
    }
}
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

// cacheSummary compares a hit with the others.
func cacheSummary(s *rounds.Summary) {
	s.First = hits
	s.Comparisons = []rounds.Comparison{
		{Figure: cpuFigure, Of: hits, Against: []string{nanoItself}, Wanted: 1.3},
		{Figure: cpuFigure, Of: hits, Against: []string{nginxHits}, Wanted: 1},
	}
}
