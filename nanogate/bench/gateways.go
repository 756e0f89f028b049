//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// gateway is a program that is compared: with one thread, connections kept alive on both
// sides, no logs, and otherwise its defaults.
type gateway struct {
	name    string
	version []string // command that says its version; none: built from this source
	command func(l *lab, address string) []string
	install string // how to get it, for people who lack it
}

const (
	nanogate = "nanogate"
	full     = "nanogate, full" // with what gateways usually do, see full.go
	haproxy  = "HAProxy"
	nginx    = "nginx"
	caddy    = "Caddy"
	traefik  = "Traefik"
)

var gateways = []gateway{
	{name: full, command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "-c", l.write("full.yaml", fullFile(l.Dir, address, l.upstream.Address)), "--loops", "1"}
	}},
	{name: nanogate, command: func(l *lab, address string) []string {
		return plainCommand(l.nanogate, address, "http://"+l.upstream.Address)
	}},
	{haproxy, []string{"haproxy", "-v"}, func(l *lab, address string) []string {
		return []string{"haproxy", "-db", "-f", l.write("haproxy.cfg", fmt.Sprintf(haproxyFile, address, l.upstream.Address))}
	}, "apt-get install haproxy"},
	{nginx, []string{"nginx", "-v"}, func(l *lab, address string) []string {
		return l.nginx("nginx.conf", l.upstream.Address, "", address, nginxProxy)
	}, "apt-get install nginx-light"},
	{caddy, []string{"caddy", "version"}, func(l *lab, address string) []string {
		return []string{"caddy", "run", "--adapter", "caddyfile", "--config", l.write("Caddyfile", fmt.Sprintf(caddyFile, address, l.upstream.Address))}
	}, "go install github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"},
	{traefik, []string{"traefik", "version"}, func(l *lab, address string) []string {
		routes := l.write("traefik-routes.yaml", fmt.Sprintf(traefikRoutes, l.upstream.Address))
		return []string{"traefik", "--configfile", l.write("traefik.yaml", fmt.Sprintf(traefikFile, address, routes))}
	}, "a binary of github.com/traefik/traefik/releases"},
}

// write writes a file of the lab's folder and returns its path.
func (l *lab) write(name, text string) string {
	path := l.path(name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "" // which the gateway will not start with
	}
	return path
}

// path is that of a file of the lab's folder.
func (l *lab) path(name string) string { return filepath.Join(l.Dir, name) }

const haproxyFile = `global
    nbthread 1
    maxconn 8192
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    http-reuse always
frontend in
    bind %s
    default_backend out
backend out
    server one %s
`

// nginx is nginx's command in front of an upstream, which is called one: http is the rest
// of its file, location what is done with a request.
func (l *lab) nginx(file, upstream, http, listen, location string) []string {
	return []string{"nginx", "-p", l.Dir, "-e", "stderr", "-c", l.write(file, fmt.Sprintf(nginxFile, l.Dir, upstream, http, listen, location))}
}

const nginxFile = `daemon off;
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
    upstream one { server %[2]s; keepalive 1024; keepalive_requests 100000000; }
    %[3]s
    server {
        listen %[4]s;
        location / { %[5]s }
    }
}
`

const nginxProxy = `proxy_pass http://one; proxy_http_version 1.1; proxy_set_header Connection "";`

const caddyFile = `{
	admin off
	auto_https off
	persist_config off
	log {
		level ERROR
	}
}
http://%s {
	reverse_proxy %s
}
`

const traefikFile = `entryPoints: {web: {address: "%s"}}
providers: {file: {filename: %s}}
log: {level: ERROR}
global: {checkNewVersion: false, sendAnonymousUsage: false}
`

const traefikRoutes = `http:
  routers: {all: {rule: "PathPrefix(` + "`/`" + `)", entryPoints: [web], service: one}}
  services: {one: {loadBalancer: {servers: [{url: "http://%s"}]}}}
`
