//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/internal/freeport"
	"dyno.example/nano/wire/uring"
)

// TestPlanFits holds all campaigns together to the time that they are promised
// to take at most, by their own account.
func TestPlanFits(t *testing.T) {
	l, total := &lab{}, time.Duration(0)
	l.Options = &rounds.Options{Plan: true}
	for _, c := range l.campaigns() {
		if c.Aside {
			continue
		}
		arms, err := c.Arms(t.Context(), &rounds.Record{Settings: rounds.Settings{Seconds: c.Seconds}})
		if err != nil || len(arms) == 0 {
			t.Fatalf("%s: %d arms, %v", c.Name, len(arms), err)
		}
		for _, a := range arms {
			total += 7 * a.Takes
		}
	}
	if total > 20*time.Minute {
		t.Errorf("seven rounds of everything take %v", total)
	}
}

// TestCampaignsAreWhole looks for what a table or a comparison could refer to in
// vain.
func TestCampaignsAreWhole(t *testing.T) {
	known := serverNames()
	for _, c := range campaigns() {
		var servers []string
		for _, a := range c.Arms {
			if !slices.Contains(known, a.Server) || a.Measure == nil {
				t.Errorf("%s: %q can't be measured", c.Name, a.Server)
			}
			servers = append(servers, a.Server)
		}
		for _, compared := range c.Show.Comparisons {
			for _, name := range append([]string{compared.Of}, compared.Against...) {
				rust := slices.Contains(rustPeers(), name) // whichever take part
				if !rust && !slices.Contains(servers, name) {
					t.Errorf("%s compares with %q, which takes no part", c.Name, name)
				}
			}
		}
	}
}

func TestRises(t *testing.T) {
	got := rises([]float64{2500, math.NaN(), 900}, []float64{1500, 700, 1000})
	if !slices.Equal(got, []float64{1, -0.1}) {
		t.Errorf("%v ms", got)
	}
}

// TestSummaries shows a record of every campaign with made-up figures, in which
// nano takes half of what each other does.
func TestSummaries(t *testing.T) {
	for _, c := range campaigns() {
		c.Show.First = nanoName
		r := &rounds.Record{What: c.Name, Settings: rounds.Settings{Rounds: 7}}
		for round := range 7 {
			for _, a := range c.Arms {
				x := 10 + float64(round)
				if strings.HasPrefix(a.Server, "nano") {
					x /= 2
				}
				figures := map[string]float64{cpuFigure: x, "p99.9_us": x, "p99_us": x, "kb_per_connection": x, "most_mb": x}
				r.Trials = append(r.Trials, rounds.Trial{Round: round, Tool: a.Server, Level: a.Level, Figures: figures})
			}
		}
		var out bytes.Buffer
		c.Show.Show(&out, r, false)
		if !strings.Contains(out.String(), "wanted") {
			t.Errorf("%s says nothing of what is wanted:\n%s", c.Name, out.String())
		}
	}
}

func TestLockedVersions(t *testing.T) {
	lock, err := os.ReadFile("testdata/rust/Cargo.lock")
	if err != nil {
		t.Fatal(err)
	}
	for crate := range rustOf {
		if lockedVersion(string(lock), crate) == "" {
			t.Errorf("%s is not locked", crate)
		}
	}
	if got := lockedVersion(string(lock), "nothing"); got != "" {
		t.Errorf("a crate that isn't there has version %s", got)
	}
}

// TestEpollServer compiles the C server and has a response of it.
func TestEpollServer(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	path := filepath.Join(t.TempDir(), "epoll")
	if output, err := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, "testdata/epoll.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	address := freeport.Address(t)
	host, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(t.Context(), path, host, port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if body := fetch(t, address, "/plaintext"); body != "Hello, World!" {
		t.Errorf("got %q", body)
	}
	cmd.Process.Kill() // whoever runs the tests may have interrupts ignored
	cmd.Wait()
}

// TestWays has a response by each way of the other C server, but the one that
// needs Linux 6.15.
func TestWays(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	ring, err := uring.Open(2, 4)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ring.Close()
	path := filepath.Join(t.TempDir(), "uring")
	if output, err := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, "testdata/uring.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for name, way := range waysOf {
		if way == "wait" {
			continue
		}
		address := freeport.Address(t)
		host, port, _ := net.SplitHostPort(address)
		cmd := exec.CommandContext(t.Context(), path, way, host, port)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // on the same connection
			if body := fetch(t, address, "/plaintext"); body != "Hello, World!" {
				t.Errorf("%s got %q", name, body)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// own are the servers of this program.
var own = map[string]func(context.Context, net.Listener, *tls.Config, string) error{"nano": serveNano, "nano-json": serveNanoJSON, "nethttp": serveNetHTTP}

// started starts one until the test ends.
func started(t *testing.T, name string, config *tls.Config) (address string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "1k.txt"), []byte(strings.Repeat("x", 1<<10)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- own[name](ctx, ln, config, files) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// TestOwnServers holds the servers of this program to their routes.
func TestOwnServers(t *testing.T) {
	for name := range own {
		t.Run(name, func(t *testing.T) {
			address := started(t, name, nil)
			for path, want := range map[string]string{"/plaintext": "Hello, World!", "/sleep/1": "Hello, World!", "/sleep/-1": "ms: 0 to 10000"} {
				if body := strings.TrimSpace(fetch(t, address, path)); body != want {
					t.Errorf("%s: %q, want %q", path, body, want)
				}
			}
		})
	}
}

// TestOwnServersSpeakHTTP2, with TLS and by prior knowledge.
func TestOwnServersSpeakHTTP2(t *testing.T) {
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := rounds.WriteCertificate(file); err != nil {
		t.Fatal(err)
	}
	secure, err := secured(file)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := rounds.Trust(file)
	if err != nil {
		t.Fatal(err)
	}
	only := new(http.Protocols)
	only.SetHTTP2(true)
	only.SetUnencryptedHTTP2(true)
	for name := range own {
		for scheme, config := range map[string]*tls.Config{"http": nil, "https": secure} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				client := &http.Client{Transport: &http.Transport{Protocols: only, TLSClientConfig: &tls.Config{RootCAs: trusted}}}
				t.Cleanup(client.CloseIdleConnections)
				resp, err := client.Get(scheme + "://" + started(t, name, config) + "/plaintext")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				if err != nil || resp.ProtoMajor != 2 || string(body) != "Hello, World!" {
					t.Errorf("%s %q, %v", resp.Proto, body, err)
				}
				client.CloseIdleConnections()
			})
		}
	}
}

// fetch gets a path, once the server is up.
func fetch(t *testing.T, address, path string) string {
	t.Helper()
	var last error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		resp, err := http.Get("http://" + address + path)
		if err != nil {
			last = err
			time.Sleep(20 * time.Millisecond)
			continue
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	t.Fatal(last)
	return ""
}

func serverNames() []string {
	names := []string{epollName, nginxName}
	for name := range subjectsOf {
		names = append(names, name)
	}
	for name := range grpcSubjects {
		names = append(names, name)
	}
	for name := range rustOf {
		names = append(names, name)
	}
	for name := range ownOf {
		names = append(names, name)
	}
	for name := range peersOf {
		names = append(names, name)
	}
	for name := range waysOf {
		names = append(names, name)
	}
	for name := range cServers {
		names = append(names, name)
	}
	return names
}
