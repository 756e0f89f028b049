package nullserver

import (
	"context"
	"io"
	"net/http"
	"testing"
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
