//go:build linux

package gate_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Behind the gateway stand servers that others wrote. Whatever they would have read of
// the catalogue by themselves, behind the gateway they never see a request that it
// didn't send: what two parsers read in two ways doesn't get that far.
func TestCatalogueBeforeOthers(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, upstream string) (address string){"nginx": nginx, "HAProxy": haproxy} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen []string
			upstream := scripted(t, func(p *peer) {
				for {
					r, err := p.request()
					if err != nil {
						return
					}
					mu.Lock()
					seen = append(seen, r.RequestURI)
					mu.Unlock()
					p.send(ok)
				}
			})
			at := proxying(t, start(t, upstream))
			if status, body := get(t, at, "/ready"); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			for _, a := range attacks() {
				mu.Lock()
				seen = nil
				mu.Unlock()
				c := dial(t, at)
				io.WriteString(c, a.Wire)
				most := expected(&a)
				statuses := responses(c.r, a.Wire, most)
				c.Close()
				if a.Status > 0 && (len(statuses) != 1 || statuses[0] != a.Status) || a.Status == 0 && len(statuses) != most {
					t.Errorf("%s: %v", a.Name, statuses)
				}
				mu.Lock()
				if slices.Contains(seen, "/admin") && most != 2 {
					t.Errorf("%s: the upstream saw %q", a.Name, seen)
				}
				mu.Unlock()
			}
		})
	}
}

// run starts a program and waits until it listens on its address.
func run(t *testing.T, address string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
	}
	t.Fatalf("%s doesn't listen", args[0])
}

// free is an address on which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func written(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func nginx(t *testing.T, upstream string) string {
	address, dir := free(t), t.TempDir()
	run(t, address, "nginx", "-p", dir, "-e", "stderr", "-c", written(t, dir, fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid;
events {}
http {
    access_log off;
    client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
    upstream one { server %[2]s; keepalive 16; }
    server { listen %[3]s; location / { proxy_pass http://one; proxy_http_version 1.1; proxy_set_header Connection ""; } }
}
`, dir, upstream, address)))
	return address
}

func haproxy(t *testing.T, upstream string) string {
	address, dir := free(t), t.TempDir()
	run(t, address, "haproxy", "-db", "-f", written(t, dir, fmt.Sprintf(`defaults
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
`, address, upstream)))
	return address
}
