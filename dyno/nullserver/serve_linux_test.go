package nullserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"dyno.example/internal/freeport"
)

func TestServeOnAnAddress(t *testing.T) {
	address := freeport.Address(t)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := Serve(t.Context(), address, 2); err == nil {
		t.Error("no error of an address that is taken")
	}
	l.Close()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, address, 2) }()
	var resp *http.Response
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if resp, err = http.Get(fmt.Sprintf("http://%s/", address)); err == nil {
			break
		}
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
