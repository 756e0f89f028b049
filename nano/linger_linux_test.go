package nano_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano"
)

// uploads are ways to take a body that is too large: by the loop, and by a handler.
func uploads(app *nano.App) {
	app.Post("/up", func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Text(200, fmt.Sprint(len(b)))
	})
}

// keptOpen is how long a connection whose client sends more than is read stays open at
// least. A client that a busy machine makes later than that may find it reset.
const keptOpen = 500 * time.Millisecond

// inTime does what a client has to do within keptOpen, again where it was later.
func inTime(what string, do func() error) error {
	for end := time.Now().Add(30 * time.Second); ; {
		began := time.Now()
		err := do()
		if err == nil {
			return nil
		}
		if time.Since(began) < keptOpen || time.Now().After(end) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
}

// refused reads the response to an upload.
func refused(c *client) error {
	resp, err := http.ReadResponse(c.r, nil)
	if err == nil && resp.StatusCode != 413 {
		err = errors.New(resp.Status)
	}
	return err
}

// TestRefusedUploads: a client that has more to send than it may gets its response,
// whether it sends all before it reads, or as much as goes.
func TestRefusedUploads(t *testing.T) {
	at, _ := serve(t, nano.Config{Limits: nano.Limits{Body: 1 << 20}}, uploads)
	// As a proxy does: send until nothing more goes, then look for the response.
	upload := func(framing string) error {
		c := dial(t, at)
		defer c.Close()
		c.send("POST /up HTTP/1.1\r\nHost: a\r\n" + framing)
		raw, err := c.Conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		piece, left := make([]byte, 1<<16), 16<<20
		var failed error
		for full := 0; left > 0 && full < 20; {
			raw.Control(func(fd uintptr) {
				n, err := syscall.Write(int(fd), piece[:min(left, len(piece))])
				switch {
				case errors.Is(err, syscall.EAGAIN):
					full++
				case err != nil:
					failed = err
				default:
					left, full = left-n, 0
				}
			})
			if failed != nil {
				return fmt.Errorf("reset with %d bytes to send: %w", left, failed)
			}
			if full > 0 {
				time.Sleep(time.Millisecond)
			}
		}
		return refused(c)
	}
	for _, framing := range []string{"Content-Length: 16777216\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1000000\r\n"} {
		if err := inTime(framing, func() error { return upload(framing) }); err != nil {
			t.Error(err)
		}
	}
	if err := inTime("sends all before it reads, of a bit too much", func() error {
		c := dial(t, at)
		defer c.Close()
		c.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1500000\r\n\r\n")
		if _, err := io.WriteString(c.Conn, strings.Repeat("x", 1_500_000)); err != nil {
			return err
		}
		return refused(c)
	}); err != nil {
		t.Error(err)
	}
}

// TestRefusedUploadsBehindNginx: nginx, with its default of taking whole bodies
// before it passes them on, passes the 413 on each time.
func TestRefusedUploadsBehindNginx(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if nginx, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			t.Skip("needs nginx: apt-get install nginx-light")
		}
	}
	at, _ := serve(t, nano.Config{}, uploads)
	dir := t.TempDir()
	front := filepath.Join(dir, "front.sock")
	config := fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
	access_log off; client_max_body_size 100m;
	client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen unix:%[2]s; location / { proxy_pass http://%[3]s; } }
}
`, dir, front, at)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, nginx, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-g", "user "+userName()+";")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	defer func() { cancel(); <-ended }()
	var conn net.Conn
	for conn == nil {
		if conn, err = net.Dial("unix", front); err != nil {
			select {
			case <-ended:
				t.Fatalf("nginx: %s", said.String())
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	conn.Close()
	body := make([]byte, 5<<20)
	for i := range 8 {
		if err := inTime(fmt.Sprint("upload ", i), func() error { // nginx is the client that may be late
			c := dial(t, front)
			defer c.Close()
			go func() {
				fmt.Fprintf(c.Conn, "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", len(body))
				c.Conn.Write(body)
			}()
			return refused(c)
		}); err != nil {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Errorf("%v\n%s", err, log)
		}
	}
}

// userName is who nginx's worker is to be.
func userName() string {
	if os.Getuid() == 0 {
		return "root"
	}
	return "nobody" // ignored: only root changes its user
}
