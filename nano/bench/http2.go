//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// HTTP/2, beside net/http and beside servers in C that do no more than send a file.

// The servers in C, and how each is started with TLS.
const (
	nghttpdName = "nghttpd"
	h2oName     = "h2o"
	overTLS     = "/tls"
)

// cServers make the servers in C, by name.
var cServers = map[string]func(ctx context.Context, l *lab, tls bool) (program, error){
	nghttpdName: makeNghttpd, nghttpdName + overTLS: makeNghttpd,
	h2oName: makeH2o, h2oName + overTLS: makeH2o,
}

// streamed is a closed loop over HTTP/2: so many streams on each of so many
// connections.
type streamed struct{ streams, connections int }

func (s streamed) String() string {
	if s.streams == 1 {
		return fmt.Sprintf("1 stream × %d", s.connections)
	}
	return fmt.Sprintf("%d streams × %d", s.streams, s.connections)
}

// streamedLoads are one request at a time, as over HTTP/1.1, and more of them.
var streamedLoads = []streamed{{1, connections}, {10, 8}, {100, 8}}

// http2Campaign holds nano's HTTP/2 to others', without TLS (prior knowledge) and with.
func http2Campaign() campaign {
	c := campaign{
		Name: "h2", Seconds: 2, Around: aroundClosed, Aside: true,
		Question: "What CPU time does a GET of 13 bytes take the server over HTTP/2, with so many streams on each of so many connections?",
		Show:     rounds.Summary{Columns: costColumns()},
	}
	var many []string // levels with several streams
	for _, s := range streamedLoads {
		plain, secure := s.String(), s.String()+", TLS"
		for _, server := range []string{"nano/own", nghttpdName, h2oName, "nethttp/own"} {
			c.Arms = append(c.Arms, arm{Server: server, Level: plain, Measure: s.measure})
		}
		for _, server := range []string{"nano/tls", nghttpdName + overTLS, h2oName + overTLS, "nethttp/tls"} {
			c.Arms = append(c.Arms, arm{Server: server, Level: secure, Measure: s.measure})
		}
		if s.streams > 1 {
			many = append(many, plain)
		}
	}
	compared := func(of, against string, wanted float64, levels ...string) {
		c.Show.Comparisons = append(c.Show.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: of, Against: []string{against}, Wanted: wanted, Levels: levels})
	}
	compared("nano/own", nghttpdName, 1.0)
	compared("nano/own", h2oName, 1.3)
	compared("nano/own", "nethttp/own", 0.1, many...)
	compared("nano/own", "nethttp/own", 0, streamedLoads[0].String())
	compared("nano/tls", "nethttp/tls", 0.5)
	compared("nano/tls", nghttpdName+overTLS, 0)
	compared("nano/tls", h2oName+overTLS, 0)
	return c
}

// measure puts the load on the plaintext, by h2load, and takes what a request cost
// the server.
func (s streamed) measure(ctx context.Context, t *trial) error {
	return t.cost(ctx, s.load(t.up.url("/plaintext")))
}

// load is h2load on a URL.
func (s streamed) load(url string, more ...string) rounds.Load {
	return rounds.Load{Parse: parseH2load, Command: func(seconds int) []string {
		args := []string{"h2load", "-t", "1", "-c", strconv.Itoa(s.connections), "-m", strconv.Itoa(s.streams), "-D", strconv.Itoa(seconds)}
		return append(append(args, more...), url)
	}}
}

var (
	h2loadTime     = regexp.MustCompile(`finished in [0-9.]+m?s, ([0-9.]+) req/s`)
	h2loadRequests = regexp.MustCompile(`requests: \d+ total, \d+ started, (\d+) done, \d+ succeeded, (\d+) failed, (\d+) errored, (\d+) timeout`)
	h2loadStatus   = regexp.MustCompile(`status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx`)
)

// parseH2load reads what h2load prints for people.
func parseH2load(text string) (o rounds.Outcome, err error) {
	done, codes := h2loadRequests.FindStringSubmatch(text), h2loadStatus.FindStringSubmatch(text)
	switch {
	case done == nil || codes == nil || !h2loadTime.MatchString(text):
		return o, fmt.Errorf("h2load, of Debian's nghttp2-client, reported nothing: %s", rounds.Tail(text))
	case !strings.Contains(text, "Application protocol: h2"):
		return o, errors.New("h2load did not speak HTTP/2")
	}
	o.Requests, _ = strconv.ParseFloat(done[1], 64) // digits only
	for _, n := range append(done[2:], codes[1:]...) {
		wrong, _ := strconv.ParseFloat(n, 64)
		o.Errors += wrong
	}
	return o, o.Check()
}

// makeNghttpd is nghttpd with one worker.
func makeNghttpd(ctx context.Context, l *lab, tls bool) (program, error) {
	version, err := rounds.Version(ctx, "nghttpd", "--version")
	if err != nil {
		return program{}, fmt.Errorf("%w; on Debian: apt-get install nghttp2-server", err)
	}
	args := []string{"nghttpd", "-a", "127.0.0.1", "-n", "1", "-d", l.files()}
	if tls {
		args = append(args, "$PORT", l.Certificate, l.Certificate)
	} else {
		args = append(args, "--no-tls", "$PORT")
	}
	return program{args: args, tls: tls, version: version}, nil
}

// h2oConf has one thread, and no log of requests.
const h2oConf = `num-threads: 1
listen:
  host: 127.0.0.1
  port: $PORT
%[2]shosts:
  default:
    paths:
      /:
        file.dir: %[1]s
`

const h2oTLS = `  ssl:
    certificate-file: %[1]s
    key-file: %[1]s
`

// makeH2o is a shell that writes h2o's configuration, which has the port in it, and
// becomes h2o.
func makeH2o(ctx context.Context, l *lab, tls bool) (program, error) {
	version, err := rounds.Version(ctx, "h2o", "--version")
	if err != nil {
		return program{}, fmt.Errorf("%w; on Debian: apt-get install h2o", err)
	}
	secure := ""
	if tls {
		secure = fmt.Sprintf(h2oTLS, l.Certificate)
	}
	conf := fmt.Sprintf(h2oConf, l.files(), secure)
	script := fmt.Sprintf("cat > %[1]s/h2o-$PORT.conf <<'END'\n%[2]sEND\nexec h2o -m worker -c %[1]s/h2o-$PORT.conf", l.Dir, conf)
	return program{args: []string{"sh", "-c", script}, tls: tls, version: version}, nil
}
