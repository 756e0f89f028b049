package nullserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestServeOnAnAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := Serve(t.Context(), address, 2); err == nil {
		t.Error("no error of an address that is taken")
	}
	l.Close()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, address, 2) }()
	var resp *http.Response
	for range 200 {
		if resp, err = http.Get(fmt.Sprintf("http://%s/", address)); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "Hello, World!" {
		t.Errorf("%q, %v", body, err)
	}
	resp.Body.Close()
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
