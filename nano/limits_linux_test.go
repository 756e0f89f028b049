package nano_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano"
)

const postHead = "POST /echo HTTP/1.1\r\nHost: a\r\n"

func echo(app *nano.App) {
	app.Post("/echo", func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Bytes(200, "application/octet-stream", b)
	})
	app.Get("/big", func(c nano.Ctx) error { return c.Bytes(200, "text/plain", bytes.Repeat([]byte("x"), 16<<20)) })
}

func TestLimitsOfARequest(t *testing.T) {
	limits := nano.Limits{Head: 1 << 10, URI: 200, Fields: 5, Body: 1000, BufferBody: 100}
	at, _ := serve(t, nano.Config{Limits: limits}, echo)
	for _, tt := range []struct {
		name, wire string
		status     int
	}{
		{"target", "GET /" + strings.Repeat("a", 300) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
		{"head", "GET / HTTP/1.1\r\nHost: a\r\nA: " + strings.Repeat("a", 1<<20), 431},
		{"fields", "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("A: b\r\n", 9) + "\r\n", 431},
		{"length", postHead + "Content-Length: 1001\r\n\r\n" + strings.Repeat("a", 1001), 413},
		{"chunked", postHead + "Transfer-Encoding: chunked\r\n\r\nfff\r\n" + strings.Repeat("a", 0xfff) + "\r\n0\r\n\r\n", 413},
		{"both", postHead + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{"bad chunk", postHead + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400},
	} {
		c := dial(t, at)
		go io.WriteString(c.Conn, tt.wire)
		if resp, _ := c.respond("GET"); resp.StatusCode != tt.status || !resp.Close {
			t.Errorf("%s: %d, close %v, want %d and close", tt.name, resp.StatusCode, resp.Close, tt.status)
		}
		c.end()
	}
}

// slowClients begin something and don't go on. How each is let go is the same with
// TLS and without. Who says nothing at all connects where that has a limit: elsewhere a
// client of a busy machine has the time to begin.
func slowClients(t *testing.T, connect func(t *testing.T, idle bool) *client) {
	for _, tt := range []struct {
		name, wire string
		status     int // 0: closed without a response
	}{
		{"idle", "", 0},
		{"head", "GET / HT", 408},
		{"fields", "GET / HTTP/1.1\r\nHost: a\r\nA: ", 408},
		{"body", postHead + "Content-Length: 10\r\n\r\nabc", 408},
		{"chunk", postHead + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", 408},
		{"streamed body", postHead + "Content-Length: 1000\r\n\r\nabc", 408},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, tt.wire == "")
			c.send(tt.wire)
			if tt.status != 0 {
				if resp, _ := c.respond("GET"); resp.StatusCode != tt.status {
					t.Errorf("%d, want %d", resp.StatusCode, tt.status)
				}
			}
			c.end()
		})
	}
}

// A client that is slow with anything is let go, whatever it has begun.
func TestSlowClients(t *testing.T) {
	const short = 150 * time.Millisecond
	limits := nano.Limits{ReadHead: short, ReadBody: short, WriteStall: short, BufferBody: 100}
	at, _ := serve(t, nano.Config{Limits: limits}, echo)
	impatient, _ := serve(t, nano.Config{Limits: nano.Limits{Idle: short}}, nil)
	slowClients(t, func(t *testing.T, idle bool) *client {
		return dial(t, map[bool]string{false: at, true: impatient}[idle])
	})
	t.Run("dripping head", func(t *testing.T) {
		t.Parallel()
		c := dial(t, at)
		for i := 0; ; i++ { // each byte is progress, but the head has one deadline
			if _, err := io.WriteString(c.Conn, "GET / HTTP/1.1\r\n"[i%16:i%16+1]); err != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	t.Run("response not read", func(t *testing.T) {
		t.Parallel()
		for pause := 5 * short; ; pause *= 2 { // on a busy machine the response may have come late
			c := dial(t, at)
			c.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
			time.Sleep(pause)
			n, err := io.Copy(io.Discard, c.Conn)
			if n < 16<<20 && (err != nil || n > 0) {
				break
			}
			if pause > 5*time.Second {
				t.Fatalf("%d bytes, %v: want a cut response", n, err)
			}
		}
	})
}

func TestLimitsOfConnections(t *testing.T) {
	at, _ := serve(t, nano.Config{Limits: nano.Limits{Connections: 3}}, nil)
	var open []*client
	for range 3 {
		c := dial(t, at)
		c.send(get)
		c.want(200, "hello")
		open = append(open, c)
	}
	late := dial(t, at) // in the listen queue
	late.send(get)
	late.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if b, err := late.r.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the fourth connection got %q %v", b, err)
	}
	open[1].Close()
	late.SetReadDeadline(time.Now().Add(30 * time.Second))
	late.want(200, "hello")
}

func TestLimitOfOneAddress(t *testing.T) {
	at, _ := serve(t, nano.Config{Limits: nano.Limits{PerAddress: 1}}, nil)
	first := dial(t, at)
	first.send(get)
	first.want(200, "hello")
	second := dial(t, at)
	if _, err := second.r.ReadByte(); err == nil {
		t.Fatal("a second connection of the address was served")
	}
	first.Close()
	for {
		c := dial(t, at)
		io.WriteString(c.Conn, get)
		if resp, err := http.ReadResponse(c.r, nil); err == nil && resp.StatusCode == 200 {
			return // the address is free again; a hang ends by the test's time limit
		}
	}
}

func TestLimitOfRequests(t *testing.T) {
	at, _ := serve(t, nano.Config{Limits: nano.Limits{Requests: 2}}, nil)
	c := dial(t, at)
	c.send(get + get + get)
	if c.want(200, "hello").Close || !c.want(200, "hello").Close {
		t.Error("want Connection: close with the second response")
	}
	c.end()
}

func TestHandlerDeadline(t *testing.T) {
	at, _ := serve(t, nano.Config{Limits: nano.Limits{Handler: 20 * time.Millisecond}}, func(app *nano.App) {
		app.Get("/wait", func(c nano.Ctx) error {
			<-c.Done()
			return c.Text(200, c.Err().Error())
		})
	})
	c := dial(t, at)
	c.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
	c.want(200, context.DeadlineExceeded.Error())
}

// TestOpenFiles runs out of descriptors. Clients that can't be served are told;
// those that have a connection don't notice; the server recovers.
func TestOpenFiles(t *testing.T) {
	var log logLines
	at, _ := serve(t, nano.Config{Loops: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	first := dial(t, at)
	first.send(get)
	first.want(200, "hello")
	clients := make([]int, 20) // sockets made in time: dialling takes descriptors
	for i := range clients {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		clients[i] = fd
	}
	hoard := takeAllFiles(t)
	to := netip.MustParseAddrPort(at)
	for _, fd := range clients {
		if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())}); err != nil {
			t.Fatal(err)
		}
	}
	refused := 0
	for _, fd := range clients {
		unix.Write(fd, []byte(get)) // fails if it is refused already
		b := make([]byte, 100)
		n, err := unix.Read(fd, b)
		switch got := string(b[:max(n, 0)]); {
		case strings.HasPrefix(got, "HTTP/1.1 503 "):
			refused++
		case !strings.HasPrefix(got, "HTTP/1.1 200 "): // something else may have closed a file
			t.Errorf("a client without a descriptor got %q %v", got, err)
		}
	}
	if refused == 0 {
		t.Error("no client was refused")
	}
	first.send(get)
	first.want(200, "hello")
	for _, fd := range hoard {
		unix.Close(fd)
	}
	again := dial(t, at)
	again.send(get)
	again.want(200, "hello")
	if !strings.Contains(log.String(), "too many open files") {
		t.Errorf("nothing said about it: %q", log.String())
	}
}

// takeAllFiles opens files until the process may open no more.
func takeAllFiles(t *testing.T) (hoard []int) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = uint64(highestFile(t)) + 20 // the server's spare must stay below it
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) })
	for {
		fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return hoard
		}
		hoard = append(hoard, fd)
	}
}

// highestFile is the highest descriptor in use.
func highestFile(t *testing.T) (highest int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			highest = max(highest, fd)
		}
	}
	return highest
}

// Negative limits are none, for heads and bodies too.
func TestNoLimitsOfARequest(t *testing.T) {
	const none = -1
	limits := nano.Limits{Head: none, URI: none, Fields: none, Body: none, BufferBody: none}
	at, _ := serve(t, nano.Config{Limits: limits}, echo)
	body := strings.Repeat("b", 1<<17)
	c := dial(t, at)
	c.send("POST /echo?" + strings.Repeat("q", 1<<16) + " HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("A: b\r\n", 200) +
		"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	c.want(200, body)
}

// TestSilentBodies: MinRate counts silence, long before ReadBody ends it.
func TestSilentBodies(t *testing.T) {
	t.Parallel()
	at, _ := serve(t, nano.Config{Limits: nano.Limits{ReadBody: time.Hour, BufferBody: 100}}, echo)
	for _, wire := range []string{
		postHead + "Content-Length: 10\r\n\r\nabc",   // collected by the loop
		postHead + "Content-Length: 1000\r\n\r\nabc", // read by the handler
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			c := dial(t, at)
			c.send(wire)
			if resp, _ := c.respond("POST"); resp.StatusCode != 408 {
				t.Errorf("%d, want 408", resp.StatusCode)
			}
		})
	}
}

// TestSilentBodiesOverHTTP2: as in HTTP/1.1, with the other streams of the connection going on.
func TestSilentBodiesOverHTTP2(t *testing.T) {
	t.Parallel()
	config := nano.Config{Limits: nano.Limits{ReadBody: time.Hour, BufferBody: 100}}
	overHTTP2(t, config, func(app *nano.App) { app.Post("/echo", echoBody) }, func(t *testing.T, client *http.Client, url string) {
		t.Parallel()
		statuses := make(chan string, 3)
		for _, length := range []int64{10, 1000, -1} { // collected by the loop, read by the handler, both ways
			go func() {
				body, w := io.Pipe()
				defer w.Close()
				r, _ := http.NewRequest("POST", url+"/echo", body)
				r.ContentLength = length
				go io.WriteString(w, "abc")
				resp, err := client.Do(r)
				if err != nil {
					statuses <- err.Error()
					return
				}
				resp.Body.Close()
				statuses <- strconv.Itoa(resp.StatusCode)
			}()
		}
		for i := 0; i < 3; {
			select {
			case s := <-statuses:
				if i++; s != "408" {
					t.Errorf("%s, want 408", s)
				}
			default:
				resp, err := client.Get(url + "/")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				time.Sleep(100 * time.Millisecond)
			}
		}
	})
}
