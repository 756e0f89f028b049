//go:build linux

package gateway_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"dyno.example/internal/freeport"
)

// others are servers that others wrote, which may stand behind the gateway, each with its
// configuration.
var others = map[string]func(t *testing.T, dir, address, upstream string) *exec.Cmd{
	"nginx": func(t *testing.T, dir, address, upstream string) *exec.Cmd {
		file := written(t, dir, fmt.Sprintf(`daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log stderr emerg;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path %[1]s;
    proxy_temp_path %[1]s;
    fastcgi_temp_path %[1]s;
    uwsgi_temp_path %[1]s;
    scgi_temp_path %[1]s;
    upstream one { server %[3]s; keepalive 8; }
    server {
        listen %[2]s;
        location / { proxy_pass http://one; proxy_http_version 1.1; proxy_set_header Connection ""; }
    }
}
`, dir, address, upstream))
		return exec.Command("nginx", "-p", dir, "-e", "stderr", "-c", file)
	},
	"haproxy": func(t *testing.T, dir, address, upstream string) *exec.Cmd {
		file := written(t, dir, fmt.Sprintf(`global
    nbthread 1
    maxconn 64
defaults
    mode http
    timeout connect 60s
    timeout client 60s
    timeout server 60s
    http-reuse always
frontend in
    bind %s
    default_backend out
backend out
    server one %s
`, address, upstream))
		return exec.Command("haproxy", "-db", "-f", file)
	},
}

// startOther starts one of them before an upstream, until the test ends.
func startOther(t *testing.T, name, upstream string) (address string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed: what it makes of nanogate's requests is not tested here", name)
	}
	address = freeport.Address(t)
	launch(t, others[name](t, t.TempDir(), address, upstream), address)
	return address
}

// launch starts a program, which ends with the test, and waits until it listens.
func launch(t *testing.T, cmd *exec.Cmd, address string) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s: %v\n%s", cmd.Path, cmd.ProcessState, said.String())
		}
	})
	waitFor(t, cmd.Path+" listens", func() bool {
		select {
		case <-ended:
			t.Fatalf("%s: %v", cmd.Path, cmd.ProcessState)
		default:
		}
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// written writes a file.
func written(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
