//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// The everyday campaigns ask what a plaintext doesn't: files, a body that is bound
// and validated, events, WebSockets, new connections with TLS. Others' servers are in
// testdata/peers, with a go.mod of their own.

// everydayWanted is the ratio to each of the others that nano is held to.
const everydayWanted = 0.6

// peersOf are the servers in testdata/peers, by flags.
var peersOf = map[string][]string{
	"gin": {"-kind", "gin"}, "fiber/everyday": {"-kind", "fiber"}, "fasthttp/everyday": {"-kind", "fasthttp"},
	"gin/tls": {"-kind", "gin", "-certificate", "$CERTIFICATE"}, "fiber/tls": {"-kind", "fiber", "-certificate", "$CERTIFICATE"},
	"fasthttp/tls": {"-kind", "fasthttp", "-certificate", "$CERTIFICATE"},
}

const nginxName = "nginx"

func everydayPeers() []string {
	return []string{"nethttp/own", "gin", "fiber/everyday", "fasthttp/everyday"}
}

// everyday is a campaign of nano/own and others under one or more loads.
func everyday(name, question string, seconds int, of string, others []string, loads map[string]func(context.Context, *trial) error, levels ...string) campaign {
	c := campaign{
		Name: name, Seconds: seconds, Around: aroundClosed, Aside: true, Question: question,
		Show: rounds.Summary{Columns: costColumns(), Comparisons: []rounds.Comparison{{Figure: cpuFigure, Of: of, Against: others, Wanted: everydayWanted}}},
	}
	for _, level := range levels {
		for _, server := range append([]string{of}, others...) {
			c.Arms = append(c.Arms, arm{Server: server, Level: level, Measure: loads[level]})
		}
	}
	return c
}

type loads = map[string]func(context.Context, *trial) error

func everydayCampaigns() []campaign {
	const sseClients = 10_000
	return []campaign{
		everyday("files", "What CPU time does a GET of a static file take the server?", 3, "nano/own", append(everydayPeers(), nginxName),
			loads{"1 KB": closed("/files/1k.txt", connections, 1), "1 MB": closed("/files/1m.bin", 16, 1)}, "1 KB", "1 MB"),
		postCampaign(),
		everyday("sse", fmt.Sprintf("What CPU time does a server-sent event take the server, once a second to each of %d clients?", sseClients), 10, "nano/own", everydayPeers(),
			loads{"": driven("sse", sseClients)}, ""),
		everyday("ws", "What CPU time does an echo of 128 bytes over a WebSocket take the server?", 3, "nano/own", everydayPeers(),
			loads{"": driven("ws", connections)}, ""),
		everyday("tls-connect", "What CPU time does a new TLS 1.3 connection with one GET take the server?", 3, "nano/tls", []string{"nethttp/tls", "gin/tls", "fiber/tls", "fasthttp/tls"},
			loads{"": driven("connect", 16)}, ""),
	}
}

// postCampaign has nano take part twice: as it is, with encoding/json as the others have
// it, and with the decoder of its module json.
func postCampaign() campaign {
	c := everyday("post", "What CPU time does a POST of 1 KB of JSON, bound and validated, take the server?", 3, "nano/own", everydayPeers(),
		loads{"": posted}, "")
	c.Arms = append(c.Arms, arm{Server: jsonName, Measure: posted})
	c.Show.Comparisons = append(c.Show.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: jsonName, Against: everydayPeers(), Wanted: everydayWanted},
		rounds.Comparison{Figure: cpuFigure, Of: jsonName, Against: []string{"nano/own"}})
	return c
}

// orderJSON is 1 KB of JSON that is valid.
var orderJSON = `{"id":42,"name":"a dynamometer","email":"ann@example.com","tags":["new","heavy"],"quantity":3,"note":"` + strings.Repeat("x", 915) + `"}`

// posted puts a closed loop of POSTs on the server.
func posted(ctx context.Context, t *trial) error {
	return t.cost(ctx, rounds.Load{Command: rounds.Wrk(connections, t.up.url("/orders")), Parse: rounds.ParseLine, Env: []string{"BODY=" + orderJSON}})
}

// driven has this program's own generator put a load on the server. It takes the
// server's CPU time itself, while all of its connections are open.
func driven(what string, connections int) func(context.Context, *trial) error {
	return func(ctx context.Context, t *trial) error {
		return t.cost(ctx, rounds.Load{Cold: true, Parse: rounds.ParseLine, Env: []string{"GOMAXPROCS=1"}, Command: func(seconds int) []string {
			return []string{
				t.lab.Self, "drive", "-what", what, "-url", t.up.url(""), "-certificate", t.lab.Certificate,
				"-connections", strconv.Itoa(connections), "-seconds", strconv.Itoa(seconds), "-pid", strconv.Itoa(t.up.PID()),
			}
		}})
	}
}

// makePeer builds testdata/peers at its locked versions.
func (l *lab) makePeer(ctx context.Context, flags []string) (program, error) {
	path := filepath.Join(l.cache, "peers")
	if err := rounds.Execute(ctx, "nano/bench/testdata/peers", "go", "build", "-trimpath", "-o", path, "."); err != nil {
		return program{}, err
	}
	p := program{args: []string{path, "-address", "127.0.0.1:$PORT", "-files", l.files()}, version: "of testdata/peers"}
	for _, f := range flags {
		p.tls = p.tls || f == "$CERTIFICATE"
		p.args = append(p.args, strings.ReplaceAll(f, "$CERTIFICATE", l.Certificate))
	}
	return p, nil
}

// files is the folder of static files.
func (l *lab) files() string { return filepath.Join(l.Dir, "files") }

func (l *lab) writeFiles() error {
	if err := os.MkdirAll(l.files(), 0o755); err != nil {
		return err
	}
	for name, content := range map[string]string{"1k.txt": strings.Repeat("x", 1<<10), "1m.bin": strings.Repeat("x", 1<<20), "plaintext": "Hello, World!"} {
		if err := os.WriteFile(filepath.Join(l.files(), name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return os.Chmod(l.Dir, 0o755) // nginx may run as another user
}

// nginxConf has one process, whose CPU time is all there is.
const nginxConf = `daemon off;
master_process off;
pid %[1]s/nginx-$PORT.pid;
error_log /dev/null;
events { worker_connections 4096; }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 1000000000;
	types { text/plain txt; application/octet-stream bin; }
	client_body_temp_path %[1]s/nginx-body; proxy_temp_path %[1]s/nginx-proxy; fastcgi_temp_path %[1]s/nginx-fastcgi;
	uwsgi_temp_path %[1]s/nginx-uwsgi; scgi_temp_path %[1]s/nginx-scgi;
	server { listen 127.0.0.1:$PORT; location /files/ { alias %[2]s/; } }
}
`

// makeNginx is a shell that writes nginx's configuration, which has the port in it,
// and becomes nginx.
func (l *lab) makeNginx(ctx context.Context) (program, error) {
	if err := rounds.Execute(ctx, "", "nginx", "-v"); err != nil {
		return program{}, err
	}
	conf := fmt.Sprintf(nginxConf, l.Dir, l.files())
	script := fmt.Sprintf("cat > %[1]s/nginx-$PORT.conf <<'END'\n%[2]sEND\nexec nginx -c %[1]s/nginx-$PORT.conf", l.Dir, conf)
	return program{args: []string{"sh", "-c", script}, version: "of the system"}, nil
}

// everydayGrace bounds how long connections of a load may take to open.
const everydayGrace = 60 * time.Second
