//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// gateway is a program that is compared: with one thread, connections kept on both
// sides, no logs, and what it does of itself besides.
type gateway struct {
	name    string
	version []string // command that says its version; none: built from this source
	command func(l *lab, address string) []string
}

const (
	nanogate = "nanogate"
	haproxy  = "HAProxy"
	nginx    = "nginx"
)

var gateways = []gateway{
	{name: nanogate, command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--listen", address, "--to", "http://" + l.upstream.Address, "--loops", "1"}
	}},
	{haproxy, []string{"haproxy", "-v"}, func(l *lab, address string) []string {
		return []string{"haproxy", "-db", "-f", l.write("haproxy.cfg", fmt.Sprintf(haproxyFile, address, l.upstream.Address))}
	}},
	{nginx, []string{"nginx", "-v"}, func(l *lab, address string) []string {
		return []string{"nginx", "-p", l.dir, "-e", "stderr", "-c", l.write("nginx.conf", fmt.Sprintf(nginxFile, l.dir, l.upstream.Address, address))}
	}},
}

// write writes a file of the lab's folder and returns its path.
func (l *lab) write(name, text string) string {
	path := filepath.Join(l.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "" // which the gateway will not start with
	}
	return path
}

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
    server {
        listen %[3]s;
        location / {
            proxy_pass http://one;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }
    }
}
`
