//go:build linux

package main

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestEverydayRoutes: a file, a body that is valid and one that isn't, and that the
// loads over WebSockets and events come to something, on both own servers.
func TestEverydayRoutes(t *testing.T) {
	if n := len(orderJSON); n < 1000 || n > 1048 {
		t.Errorf("the body has %d bytes, not 1 KB", n)
	}
	for name := range own {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait, for the loads
			everydayRoutes(t, started(t, name, nil))
		})
	}
}

func everydayRoutes(t *testing.T, address string) {
	if body := fetch(t, address, "/files/1k.txt"); len(body) != 1<<10 {
		t.Errorf("a file of %d bytes", len(body))
	}
	for body, want := range map[string]int{orderJSON: 201, strings.Replace(orderJSON, "ann@example.com", "nobody", 1): 4} {
		resp, err := http.Post("http://"+address+"/orders", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.StatusCode; got != want && got/100 != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	for _, what := range []string{"ws", "sse"} {
		o, err := measureEveryday(what, "http://"+address, nil, 3, 2, os.Getpid())
		if err != nil || o.Requests == 0 || o.Errors > 0 || o.Seconds != 2 {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
}
