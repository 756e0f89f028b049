package nullserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/net/http2"
)

func TestServe(t *testing.T) {
	s, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	for range 3 {
		resp, err := http.Get("http://" + s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != "Hello, World!" {
			t.Fatalf("body %q, error %v", body, err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

// TestListenEach: servers share an address, and another process' don't join them: two
// null servers on a port would each be asked half of what measures.
func TestListenEach(t *testing.T) {
	servers, err := ListenEach("127.0.0.1:0", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		defer s.close()
	}
	at := servers[0].Addr().String()
	if other := servers[1].Addr().String(); other != at {
		t.Errorf("they listen on %s and %s", at, other)
	}
	for n := 1; n <= 2; n++ {
		if more, err := ListenEach(at, n); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%d got an address that is taken: %v, %v", n, more, err)
		}
	}
}

// TestHTTP2 has a client that has nothing in common with the server, with bodies and
// pings, and several requests at a time on one connection.
func TestHTTP2(t *testing.T) {
	s, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	client, err := (&http2.Transport{AllowHTTP: true}).NewClientConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	for i := range 50 {
		asking.Go(func() {
			body := strings.NewReader(strings.Repeat("x", i*3000)) // some are several frames
			req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.Addr().String()+"/x", body)
			resp, err := client.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || string(got) != "Hello, World!" || resp.ContentLength != 13 || resp.Header.Get("Content-Type") != "text/plain" {
				t.Errorf("%s %v: %q, %v", resp.Status, resp.Header, got, err)
			}
		})
	}
	asking.Wait()
	if err := client.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	conn.Close()
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}
