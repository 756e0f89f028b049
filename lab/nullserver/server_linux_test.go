package nullserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
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

func TestListenShared(t *testing.T) {
	one, err := ListenShared("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer one.close()
	two, err := ListenShared(one.Addr().String())
	if err != nil {
		t.Fatalf("a second server on the same address: %v", err)
	}
	two.close()
	if three, err := Listen(one.Addr().String()); err == nil {
		three.close()
		t.Error("a server that does not share its address got one that is taken")
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
