//go:build linux

package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// TestSlowReaders: both own servers respond to readers that wait, plain and over TLS; a
// server that isn't there is an error.
func TestSlowReaders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := rounds.WriteCertificate(file); err != nil {
		t.Fatal(err)
	}
	config, err := secured(file)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := rounds.Trust(file)
	if err != nil {
		t.Fatal(err)
	}
	for name := range own {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, TLS %v", name, secure), func(t *testing.T) {
				t.Parallel() // it waits until memory has settled
				r := readers{pid: os.Getpid(), hold: 200 * time.Millisecond}
				var of *tls.Config
				if secure {
					of, r.tls = config, &tls.Config{RootCAs: trusted, NextProtos: []string{"http/1.1"}}
				}
				r.address = started(t, name, of)
				figures := make(map[string]float64)
				if err := r.measure(t.Context(), 4, figures); err != nil {
					t.Error(err)
				}
				// The response is in this process.
				if _, ok := figures["most_mb"]; !ok || figures["before_mb"] < sharedBytes>>20 {
					t.Error(figures)
				}
				r.pid = -1
				if err := r.measure(t.Context(), 1, figures); err == nil {
					t.Error("the memory of no process was read")
				}
			})
		}
	}
	gone := readers{address: "127.0.0.1:1", pid: os.Getpid()}
	if err := gone.measure(t.Context(), 1, map[string]float64{}); err == nil {
		t.Error("a server that isn't there was measured")
	}
}
