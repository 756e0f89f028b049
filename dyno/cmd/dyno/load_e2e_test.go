package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"dyno.example/dyno/cmd/dyno/internal/loadcmd"
	"dyno.example/dyno/finding"
	"dyno.example/internal/freeport"
)

// loadResult is what the tests read of dyno load --json.
type loadResult struct {
	Interrupted bool                          `json:"interrupted"`
	Seed        uint64                        `json:"seed"`
	Connections int                           `json:"connections"`
	Mode        string                        `json:"mode"`
	Rate        float64                       `json:"rate"`
	Latency     map[string]map[string]float64 `json:"latency_us"`
	Errors      map[string]uint64             `json:"errors"`
	Windows     []struct {
		Second   int               `json:"second"`
		Requests uint64            `json:"requests"`
		Offered  uint64            `json:"offered"`
		Errors   map[string]uint64 `json:"errors"`
	} `json:"windows"`
}

// responses counts the responses of all windows. The total leaves out invalid
// ones, of which a busy machine has some.
func (r *loadResult) responses() (n uint64) {
	for _, w := range r.Windows {
		n += w.Requests
	}
	return n
}

func loadJSONOf(t *testing.T, o outcome) loadResult {
	t.Helper()
	var r loadResult
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("standard output is not one JSON value: %v\n%s\nstderr: %s", err, o.stdout, o.stderr)
	}
	return r
}

func TestLoadText(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "load", "-c", "2", "-d", "1s", "-R", "200", "--seed", "7", serve(t, "good"))
	o.want(t, 0, o.stdout, "requests in", "throughput", "p99.99", "response", "service", "lag", "generator", "validity")
	contains(t, o.stderr, "GET http://127.0.0.1", "2 connections", "200 requests/s", "poisson", "seed 7")
}

func TestLoadJSONHasWhatIsPromised(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "load", "-c", "3", "-d", "1s", "-R", "200", "--seed", "7", "--json", serve(t, "good"))
	o.want(t, 0, o.stderr)
	if o.stderr != "" {
		t.Errorf("on standard error: %s", o.stderr)
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"requests", "duration_s", "throughput", "errors", "latency_us", "generator_cpu_us_per_request", "validity", "findings", "windows",
	} {
		if _, ok := fields[name]; !ok {
			t.Errorf("field %q is missing", name)
		}
	}
	if v := fields["validity"]; v != "valid" && v != "accepted" && v != "suspect" && v != "invalid" {
		t.Errorf("validity is %v", v)
	}
	if _, ok := fields["findings"].([]any); !ok {
		t.Errorf("findings are %v, want a list", fields["findings"])
	}
	r := loadJSONOf(t, o)
	for _, clock := range []string{"response", "service", "lag"} {
		for _, figure := range []string{"mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"} {
			if _, ok := r.Latency[clock][figure]; !ok {
				t.Errorf("latency_us.%s has no %q", clock, figure)
			}
		}
	}
	for _, kind := range []string{"connect", "timeout", "reset", "status", "body"} {
		if _, ok := r.Errors[kind]; !ok {
			t.Errorf("errors have no %q", kind)
		}
	}
	if r.Connections != 3 || r.Mode != "open" || r.Rate != 200 || r.Seed != 7 || len(r.Windows) == 0 || r.responses() == 0 {
		t.Errorf("got %+v", r)
	}
}

func TestLoadSendsWhatItIsTold(t *testing.T) {
	t.Parallel()
	var wrong atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := strings.Join([]string{r.Method, r.RequestURI, r.Host, r.Header.Get("X-Test"), r.Header.Get("Accept"), string(body)}, " ")
		if got != "PUT /a%20b?c=d example.org yes: and no */* {\"x\": 1}\n" {
			wrong.Store(&got)
		}
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "body.json"), []byte("{\"x\": 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := dyno(t, home, "load", "-c", "2", "-n", "50", "-m", "put", "-b", "@body.json", "-H", "X-Test: yes: and no", "-H", "Accept:*/*",
		"-H", "Host: example.org", "--json", server.URL+"/a%20b?c=d")
	o.want(t, 0, o.stderr)
	if got := wrong.Load(); got != nil {
		t.Errorf("the server got %q", *got)
	}
	if r := loadJSONOf(t, o); r.responses() != 50 || r.Mode != "closed" {
		t.Errorf("%d responses, want the 50 of -n; %+v", r.responses(), r)
	}
}

func TestLoadMethodOfABody(t *testing.T) {
	t.Parallel()
	var method atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { method.Store(r.Method) }))
	t.Cleanup(server.Close)
	o := dyno(t, t.TempDir(), "load", "-c", "1", "-n", "1", "-b", "x=1", server.URL)
	o.want(t, 0, o.stdout)
	if method.Load() != "POST" {
		t.Errorf("a body was sent with %v", method.Load())
	}
}

func TestLoadTargets(t *testing.T) {
	t.Parallel()
	server := serve(t, "good")
	six := ""
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Listener.Close()
		s.Listener = l
		s.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		s.Start()
		t.Cleanup(s.Close)
		six = s.URL
	}
	for name, target := range map[string]string{
		"no scheme": strings.TrimPrefix(server, "http://"), "no path": server, "a query": server + "/?a=b", "IPv6": six,
	} {
		t.Run(name, func(t *testing.T) {
			if target == "" {
				t.Skip("this machine has no IPv6")
			}
			o := dyno(t, t.TempDir(), "load", "-c", "2", "-n", "20", "--json", target)
			o.want(t, 0, o.stderr)
			if r := loadJSONOf(t, o); r.responses() != 20 {
				t.Errorf("%d responses, want 20", r.responses())
			}
		})
	}
}

// What users of other tools type is taken: -X, thousands, and seconds without a
// unit.
func TestLoadTakesWhatOthersTake(t *testing.T) {
	t.Parallel()
	var methods sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { methods.Store(r.Method, true) }))
	t.Cleanup(server.Close)
	o := dyno(t, t.TempDir(), "load", "-X", "put", "-R", "0.2k", "-n", "0.02k", "-T", "5", "-c", "2", "--json", server.URL)
	o.want(t, 0, o.stderr)
	if r := loadJSONOf(t, o); r.Rate != 200 || r.responses() > 20 {
		t.Errorf("rate %v, %d responses", r.Rate, r.responses())
	}
	if _, ok := methods.Load("PUT"); !ok {
		t.Error("it was no PUT")
	}
	o = dyno(t, t.TempDir(), "load", "-R", "600/m", "-d", "3", "--plan", server.URL)
	o.want(t, 0, o.stdout, "30 requests in 3s")
}

// A file of whole URLs is enough to know where the load goes.
func TestLoadTargetsWithoutURL(t *testing.T) {
	t.Parallel()
	server, home := mixed(t), t.TempDir()
	for name, text := range map[string]string{
		"urls":   server + "/a\n" + server + "/b\n",
		"http":   "GET " + server + "/a\n\nPOST " + server + "/b\nX-Key: 1\n",
		"vegeta": `{"method":"POST","url":"` + server + `/a","body":"YWJj"}` + "\n" + `{"method":"GET","url":"` + server + `/b"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := dyno(t, home, "load", "-c", "2", "-n", "60", "--targets", name, "--json")
		o.want(t, 0, o.stderr)
		contains(t, o.stdout, `"target": "`+server+`"`)
	}
	o := dyno(t, home, "load", "-c", "2", "-n", "60", "--targets", "urls", "http://elsewhere.invalid")
	o.want(t, 2, o.stderr, "urls:1", "is not at http://elsewhere.invalid")
}

// Somebody who doesn't speak HTTP/1.1 is shown as he is, and nothing of it steers
// the terminal.
func TestLoadOfOtherProtocols(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says string
		want []string
	}{
		"SSH":    {"SSH-2.0-OpenSSH_9.2p1\x1b[31m\r\n", []string{`"SSH-2.0-OpenSSH_9.2p1\x1b[31m\r\n"`, "SSH (RFC 4253"}},
		"HTTP/2": {"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64", []string{"it begins with", "HTTP/2 (RFC 9113"}},
		"TLS":    {"\x15\x03\x01\x00\x02\x02\x46", []string{"it begins with", "is it an https:// URL?"}},
		"long":   {strings.Repeat("garbage ", 1000), []string{`it begins with "garbage garbage garbage garbage garbage "`}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer conn.Close()
						if _, err := conn.Read(make([]byte, 512)); err == nil {
							io.WriteString(conn, c.says)
						}
					}()
				}
			}()
			for _, engine := range []string{"", "portable"} {
				o := dyno(t, t.TempDir(), "load", "-c", "1", "-n", "3", "--engine", engine, l.Addr().String())
				o.want(t, 1, o.stderr, c.want...)
				if strings.Contains(o.stdout+o.stderr, "\x1b") {
					t.Errorf("an escape is printed: %q", o.stdout+o.stderr)
				}
			}
		})
	}
}

// What can be done about a certificate is said, and so it is of a plain server
// behind https.
func TestLoadHintsAtCertificates(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	o := dyno(t, t.TempDir(), "load", "-c", "1", "-n", "3", secure.URL)
	o.want(t, 1, o.stderr, "x509: ", "--cacert FILE trusts the certificate's issuer, -k any certificate")
	plain := serve(t, "good")
	o = dyno(t, t.TempDir(), "load", "-c", "1", "-n", "3", strings.Replace(plain, "http://", "https://", 1))
	o.want(t, 1, o.stderr, "it doesn't speak TLS", "is it an http:// URL?")
}

// That nobody listens is found out before a calibration, and --wait waits until
// somebody does.
func TestLoadWaits(t *testing.T) {
	t.Parallel()
	address := freeport.Address(t)
	o := dyno(t, t.TempDir(), "load", "-d", "5s", address)
	o.want(t, 1, o.stderr, "connection refused: nobody listens there; --wait 30s waits")
	if strings.Contains(o.stderr, "calibrated") {
		t.Errorf("it calibrated first: %s", o.stderr)
	}
	s := start(t, t.TempDir(), "load", "-c", "1", "-n", "20", "--wait", "60s", address)
	s.comesTo(t, "waiting", func() bool { return strings.Contains(s.stderr.String(), "waiting for up to 1m0s") })
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("another program has taken the port")
	}
	server := &http.Server{Handler: http.NotFoundHandler()}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	if o = s.wait(t); strings.Contains(o.stderr, loadcmd.ErrUntrusted.Error()) {
		o = dyno(t, t.TempDir(), "load", "-c", "1", "-n", "20", "--wait", "60s", address)
	}
	contains(t, o.stdout, "404: 20")
}

func TestLoadHTML(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "load", "-c", "2", "-d", "1s", "-R", "100", "--html", "report.html", "-H", "Authorization: Bearer s3cr3t", serve(t, "good"))
	o.want(t, 0, o.stdout, "throughput")
	page, err := os.ReadFile(filepath.Join(home, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(page), "<!doctype html>", "</html>", "127.0.0.1")
	if found := regexp.MustCompile(`(?i)(src|href)="?(https?:)?//`).Find(page); found != nil {
		t.Errorf("the page is not self-contained: %s", found)
	}
	if strings.Contains(string(page), "s3cr3t") {
		t.Error("the page holds the secret of a header")
	}
}

func TestLoadHTMLThatCantBeWritten(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "load", "-c", "1", "-n", "5", "--html", "no/such/folder.html", serve(t, "good"))
	o.want(t, 1, o.stderr, "no/such/folder.html")
	if o.stdout != "" {
		t.Errorf("the load ran before anyone looked: %s", o.stdout)
	}
}

func TestLoadInterrupted(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"text", "json"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
			t.Cleanup(server.Close)
			args := []string{"load", "-c", "2", "-d", "1h", "-R", "100", server.URL}
			if form == "json" {
				args = append(args, "--json")
			}
			s := start(t, t.TempDir(), args...)
			eventually(t, "requests", func() bool { return served.Load() > 22 }) // all but two have a response
			s.signal(t, os.Interrupt)
			o := s.wait(t)
			o.want(t, 130, o.stdout)
			if form == "text" {
				contains(t, o.stdout, "validity")
				if !strings.Contains(o.stdout, "    "+string(finding.NoValidWindow)+": ") { // the machine may have stood still in the only second
					contains(t, o.stdout, "requests in")
				}
				return
			}
			if r := loadJSONOf(t, o); !r.Interrupted || r.responses() < 20 {
				t.Errorf("what was measured is lost: %+v", r)
			}
		})
	}
}

func TestLoadJudgesErrors(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(half.Close)
	for allowed, code := range map[string]int{"1%": 1, "40%": 1, "60%": 0, "0.6": 0, "100 %": 0} {
		o := undisturbed(t, t.TempDir(), "load", "-c", "1", "-n", "40", "--max-errors", allowed, half.URL)
		o.want(t, code, o.stdout, "20 status", "503")
		if code == 1 {
			contains(t, o.stderr, "50.00 % of the requests failed", "--max-errors")
		}
	}
}

func TestLoadFaults(t *testing.T) {
	t.Parallel()
	for mode, c := range map[string]struct{ kind, why string }{
		"status":  {"status", "404"},
		"mute":    {"timeout", "no complete response within 200ms"},
		"closes":  {"reset", "closed the connection without a response"},
		"garbage": {"body", "status line"},
		"half":    {"reset", "in the middle of a response"},
		"short":   {"reset", "in the middle of a response"},
		// Its port is free from then on: a server of another test may get it.
		"dies":  {"connect|reset|timeout", ""},
		"sours": {"reset", "closed the connection"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			// A load that measured nothing is sent again, to another server: the first
			// may be dead by then.
			failed := func(o outcome) (n uint64) {
				for _, w := range loadJSONOf(t, o).Windows {
					for kind := range strings.SplitSeq(c.kind, "|") {
						n += w.Errors[kind]
					}
				}
				return n
			}
			o := until(func() outcome {
				return measured(t, func() outcome {
					return start(t, t.TempDir(), "load", "-c", "2", "-d", "1s", "-R", "300", "-T", "200ms", "--json", serve(t, mode)).wait(t)
				})
			}, func(o outcome) bool { return failed(o) > 0 && strings.Contains(o.stdout, c.why) }) // on a slow machine too few requests get that far
			o.want(t, 1, o.stderr, "dyno: ")
			contains(t, o.stdout, c.why)
			if failed(o) == 0 {
				t.Errorf("no error of kind %s: %s", c.kind, o.stdout)
			}
		})
	}
}

func TestLoadOfNothing(t *testing.T) {
	t.Parallel()
	address := freeport.Address(t)
	o := dyno(t, t.TempDir(), "load", "-d", "1s", address)
	o.want(t, 1, o.stderr, address, "connection refused")
	o = dyno(t, t.TempDir(), "load", "-d", "1s", "http://nowhere.invalid/")
	o.want(t, 1, o.stderr, "nowhere.invalid")
}

func TestLoadWithMoreConnectionsThanFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := startCommand(t, exec.Command("sh", "-c", `ulimit -n 256; exec "$0" load -c 1000000 -n 10 "$1"`, dynoBinary, serve(t, "good")), home)
	o := s.wait(t)
	o.want(t, 1, o.stderr, "1000000 connections", "limit is 256", "ulimit -n")
}

// SIGTERM is how supervisors interrupt.
func TestLoadTerminated(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	t.Cleanup(server.Close)
	s := start(t, t.TempDir(), "load", "-c", "1", "-d", "1h", "-R", "100", server.URL)
	eventually(t, "requests", func() bool { return served.Load() > 0 })
	s.signal(t, syscall.SIGTERM)
	o := s.wait(t)
	o.want(t, 130, o.stdout, "validity")
}
