package service

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/study"
)

// TestCommand: a program of the user's, with a metrics page.
func TestCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	python(t)
	in := start(t, newTestHost(t), study.Service{
		Name: "mock", Run: `echo here >"$DATA/mark"; exec python3 -c "$MOCK"`, As: "MOCK_URL", Address: "http://127.0.0.1:$PORT/base", Env: map[string]string{"MOCK": mock},
		Ready: "/up", Metrics: "/metrics", Figures: []string{"served_total", "waiting"}, Seed: []study.Seed{{Run: `case "$MOCK_URL" in http://127.0.0.1:*/base) ;; *) exit 1 ;; esac`}},
	})
	if url := in.env["MOCK_URL"]; !strings.HasSuffix(url, "/base") || strings.Contains(url, "$") {
		t.Errorf("address %q", url)
	}
	r, err := in.Probes()[0].Read(5 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if r.Counters["served_total"] != 7 || r.Gauges["waiting"] != 2 || len(r.Counters)+len(r.Gauges) != 2 {
		t.Errorf("read %v", r)
	}
	if _, err := os.Stat(filepath.Join(in.parts[0].in.Folder(), "mark")); err != nil {
		t.Error(err)
	}
}

// mock serves a page of metrics.
const mock = `
import http.server, os
class Page(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def do_GET(self):
        self.send_response(200 if self.path in ("/up", "/metrics") else 404)
        self.end_headers()
        self.wfile.write(b'served_total{a="1"} 3\nserved_total{a="2"} 4\nwaiting 2\nother 1\n')
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Page).serve_forever()
`

// TestCompose: what is said to docker, by a docker that only notes it and serves.
func TestCompose(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	python(t)
	bin := t.TempDir()
	notes := filepath.Join(bin, "notes")
	docker := "#!/bin/sh\n[ \"$2\" != version ] || exit 0\necho \"$@\" >>" + notes + "\ncase \"$*\" in *' up') exec python3 -c \"$MOCK\" ;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	in, err := Start(t.Context(), newTestHost(t), study.Service{Name: "stack", Compose: "compose.yaml", As: "STACK_URL", Env: map[string]string{"MOCK": mock}})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	said, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], " up") || !strings.Contains(lines[1], " down --volumes") || !strings.Contains(lines[0], "testdata/compose.yaml") {
		t.Errorf("docker was told\n%s", said)
	}
}

func TestNoDocker(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Start(t.Context(), newTestHost(t), study.Service{Name: "stack", Compose: "compose.yaml", As: "X"})
	checkError(t, err, []string{"service stack: compose: there is no docker in PATH"})
}

func TestCommandThatFails(t *testing.T) {
	_, err := Start(t.Context(), newTestHost(t), study.Service{Name: "mock", Run: "echo no such luck >&2; exit 4", As: "X"})
	checkError(t, err, []string{"service mock exited before it was ready (exit status 4)", "no such luck"})
	_, err = Start(t.Context(), newTestHost(t), study.Service{Name: "mock", Run: "sleep 1000 & exit 0", As: "X"})
	checkError(t, err, []string{"service mock exited before it was ready (exit status 0)", "must stay in the foreground"})
	if strings.Count(err.Error(), "service mock") > 1 {
		t.Errorf("says twice whose it is: %v", err)
	}
}

// TestNobodyThere: an address at which nothing listens is found out, of kinds that dyno has
// no driver of too.
func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	there := "http://" + listener.Addr().String()
	for _, kind := range []string{study.Etcd, study.S3, ""} {
		if _, err := Start(t.Context(), newTestHost(t), study.Service{Name: "mine", Use: kind, As: "X", URL: there}); err != nil {
			t.Errorf("%q, which is there: %v", kind, err)
		}
	}
	listener.Close()
	for _, kind := range []string{study.Etcd, study.S3, ""} {
		_, err := Start(t.Context(), newTestHost(t), study.Service{Name: "mine", Use: kind, As: "X", URL: there})
		checkError(t, err, []string{"service mine: url: it is not there", "connection refused"})
	}
	if got := at("/metrics", "http://h:1/"); got != "http://h:1/metrics" {
		t.Error("metrics at", got)
	}
}

func python(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("no python3")
	}
}

// TestDockerWithoutCompose: the plug-in is what is missing, not a flag.
func TestDockerWithoutCompose(t *testing.T) {
	bin := t.TempDir()
	docker := "#!/bin/sh\necho \"docker: 'compose' is not a docker command.\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	_, err := Start(t.Context(), newTestHost(t), study.Service{Name: "stack", Compose: "compose.yaml", As: "X"})
	checkError(t, err, []string{"service stack: compose: this docker lacks the Compose plug-in", "'compose' is not a docker command", "docker-compose-plugin"})
}

// TestOwnSettings: what the scripts give to a server is refused when a study is read, but for what
// may well be another's to choose.
func TestOwnSettings(t *testing.T) {
	free := map[string][]string{study.Kafka: {"offsets.", "transaction.", "share.", "group."}, study.Redis: {"save"}}
	given := map[string][]string{study.Redis: {"port"}}
	for line := range strings.Lines(kafkaScript) {
		if name, _, ok := strings.Cut(line, "="); ok && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz.") == "" {
			given[study.Kafka] = append(given[study.Kafka], name)
		}
	}
	for _, line := range redisConfig("secret") {
		name, _, _ := strings.Cut(line, " ")
		given[study.Redis] = append(given[study.Redis], name)
	}
	for flag, name := range map[string]string{"-D data": "data_directory", "-p ": "port", "-h ": "listen_addresses", "-k ": "unix_socket_directories"} {
		if !strings.Contains(primaryScript, flag) || !strings.Contains(replicaScript, flag) {
			t.Errorf("%s is not given", flag)
		}
		given[study.Postgres] = append(given[study.Postgres], name)
	}
	for kind, names := range given {
		if len(names) < 4 {
			t.Errorf("%s is given %q only", kind, names)
		}
		for _, name := range names {
			_, refused := study.OwnSettings(kind)[name]
			isFree := slices.ContainsFunc(free[kind], func(prefix string) bool { return strings.HasPrefix(name, prefix) })
			if refused == isFree {
				t.Errorf("%s: %s is refused: %v", kind, name, refused)
			}
		}
	}
}
