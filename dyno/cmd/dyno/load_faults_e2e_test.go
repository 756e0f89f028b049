package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// engines are those that --engine takes on this system.
var engines = []string{"uring", "epoll", "portable"}

// TestLoadLiesAndEndlessness: what is wrong with the responses is named, on every
// engine, and the load ends.
func TestLoadLiesAndEndlessness(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ response, why string }{
		"longer than said":  {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore", "bytes beyond its response"},
		"shorter than said": {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nless", "no complete response within 200ms"},
		"negative length":   {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "Content-Length"},
		"never finished":    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", "no complete response within 200ms"},
		"responds twice":    {strings.Repeat("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 2), "beyond its response"},
	} {
		for _, engine := range engines {
			t.Run(name+"/"+engine, func(t *testing.T) {
				t.Parallel()
				o := until(func() outcome {
					return undisturbed(t, t.TempDir(), "load", "-c", "2", "-n", "6", "-T", "200ms", "--engine", engine, responding(t, c.response))
				}, func(o outcome) bool {
					return strings.Contains(o.stderr, c.why) && strings.Contains(o.stdout, "errors       6 ")
				}) // nothing else was late
				o.want(t, 1, o.stderr, "dyno: nothing responded", c.why)
				contains(t, o.stdout, "errors       6 ")
			})
		}
	}
}

// responding responds to whatever comes with the same bytes, and keeps the connection.
func responding(t *testing.T, response string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for buf := make([]byte, 4096); ; {
					if _, err := conn.Read(buf); err != nil {
						return
					}
					io.WriteString(conn, response)
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// TestLoadBeyondItsConnections: a rate that can't be reached is reported with what
// was reached and what limited it.
func TestLoadBeyondItsConnections(t *testing.T) {
	t.Parallel()
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) }))
	t.Cleanup(slow.Close)
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			const limit = "all 1 connections were waiting for responses"
			o := until(func() outcome {
				return dyno(t, t.TempDir(), "load", "-c", "1", "-d", "1s", "-R", "500", "--engine", engine, slow.URL)
			}, func(o outcome) bool { return strings.Contains(o.stdout, limit) }) // and not a generator that was kept from its CPU
			o.want(t, 1, o.stdout, "rate-missed", limit, "of service are") // most of what was due has no response
			contains(t, o.stderr, "had no response by the end")
		})
	}
}

// TestLoadInterruptedWhileConnecting: before anything was sent there is nothing
// to print.
func TestLoadInterruptedWhileConnecting(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			accepted := make(chan net.Conn, 100)
			t.Cleanup(func() { ln.Close() })
			go func() {
				for {
					conn, err := ln.Accept() // and never a word of TLS
					if err != nil {
						return
					}
					accepted <- conn
				}
			}()
			s := start(t, t.TempDir(), "load", "-c", "2", "-d", "1h", "-T", "1h", "--engine", engine, "--no-calibration", "--fail", "p99 < 1ns", "https://"+ln.Addr().String())
			(<-accepted).Read(make([]byte, 1))
			s.signal(t, os.Interrupt)
			o := s.wait(t)
			o.want(t, 130, o.stderr)
			if strings.Contains(o.stdout+o.stderr, "threshold") {
				t.Errorf("a threshold was evaluated: %s%s", o.stdout, o.stderr)
			}
		})
	}
}

func TestLoadTLSFaults(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, engine := range engines {
		o := dyno(t, t.TempDir(), "load", "-c", "2", "-n", "5", "--engine", engine, secure.URL)
		o.want(t, 1, o.stderr, "connecting to 127.0.0.1", "TLS handshake", "certificate")
		o = dyno(t, t.TempDir(), "load", "-c", "2", "-n", "5", "--engine", engine, strings.Replace(serve(t, "good"), "http:", "https:", 1))
		o.want(t, 1, o.stderr, "TLS handshake", "first record does not look like a TLS handshake")
	}
}

// TestLoadOutOfFiles: the event loops look before they start, the portable engine
// runs into the limit and says so.
func TestLoadOutOfFiles(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			target := serve(t, "good")
			o := measured(t, func() outcome {
				cmd := exec.Command("sh", "-c", `ulimit -n 64; exec "$0" load -c 200 -d 1s --engine "$1" "$2"`, dynoBinary, engine, target)
				return startCommand(t, cmd, t.TempDir()).wait(t)
			})
			if engine != "portable" {
				o.want(t, 1, o.stderr, "200 connections", "ulimit -n")
				return
			}
			contains(t, o.stdout+o.stderr, "too many open files", "ulimit -n")
		})
	}
}
