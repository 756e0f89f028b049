//go:build linux

package admin

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Connections of the process itself are closed, by whatever way they come; those whose
// end is gone already too, as nobody can tell any more whose they were.
func TestOutside(t *testing.T) {
	for _, tt := range []struct{ network, at, to string }{
		{"tcp", "127.0.0.1:0", "127.0.0.1"},
		{"tcp", "0.0.0.0:0", "127.7.7.7"},
		{"tcp", "[::]:0", "127.0.0.1"},
		{"tcp", "[::]:0", "::1"},
		{"unix", filepath.Join(t.TempDir(), "a"), ""},
	} {
		ln, err := net.Listen(tt.network, tt.at)
		if err != nil {
			t.Logf("SKIPPED %s: %v", tt.at, err)
			continue
		}
		var log strings.Builder
		accepting, ended := Outside(ln, slog.New(slog.NewTextHandler(&log, nil))), make(chan error)
		go func() {
			c, err := accepting.Accept()
			if err == nil {
				c.Close()
				err = errors.New("a connection of its own is taken")
			}
			ended <- err
		}()
		to := ln.Addr().String()
		if tt.to != "" {
			_, port, _ := net.SplitHostPort(to)
			to = net.JoinHostPort(tt.to, port)
		}
		c, err := net.Dial(tt.network, to)
		if err != nil {
			t.Logf("SKIPPED %s from %s: %v", tt.at, tt.to, err)
			ln.Close()
			<-ended
			continue
		}
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%s: %v", to, err)
		}
		c.Close()
		early, err := net.Dial(tt.network, to)
		if err == nil {
			_, _ = early.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
			early.Close()
		}
		if err := accepting.(*outside).SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: %v", to, err)
		}
		if !strings.Contains(log.String(), "the gateway sends requests to itself") || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("it logs %s", &log)
		}
		ln.Close()
	}
}
