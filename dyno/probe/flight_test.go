package probe

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// recorded connects as a program with a flight recorder does, and responds to requests in turn.
func recorded(t *testing.T, f *FlightListener, responses ...string) {
	t.Helper()
	conn, err := net.Dial("unix", f.Env()[flightEnv])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		for _, response := range responses {
			var line string
			if _, err := fmt.Fscanln(conn, &line); err != nil || line != "snapshot" {
				return
			}
			fmt.Fprint(conn, response)
		}
	}()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		n := len(f.conns)
		f.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("not accepted within a minute")
		}
	}
}

func TestFlightSnapshot(t *testing.T) {
	for _, c := range []struct{ name, response, want, err string }{
		{"a trace", "{\"bytes\":5}\nabcde", "abcde", ""},
		{"unable", "{\"error\":\"already enabled\"}\n", "", "already enabled"},
		{"nothing", "{\"bytes\":0}\n", "", "0 bytes"},
		{"too much", "{\"bytes\":99999999999}\n", "", "at most"},
		{"no JSON", "hello\n", "", "isn't understood"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ListenForFlight(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.Snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), "dynoprobe/flight") {
				t.Errorf("of nobody: %v", err)
			}
			recorded(t, f, c.response, c.response)
			for range 2 {
				list, err := f.Snapshot(t.Context())
				switch {
				case c.err == "" && (err != nil || len(list) != 1 || string(list[0]) != c.want):
					t.Errorf("%q, %v", list, err)
				case c.err != "" && err == nil:
					t.Errorf("%q is taken", list)
				}
			}
		})
	}
}

// One that says nothing holds nobody up for longer than the caller wants, and what was made goes.
func TestFlightIsGivenUp(t *testing.T) {
	f, err := ListenForFlight(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	recorded(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := f.Snapshot(ctx); err == nil {
		t.Errorf("%q", list)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.dir); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}
