package nano_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dyno.example/nano"
)

// TestListenOnWhatOthersHave: a program that is started twice must not share its clients
// with the one that was forgotten in another terminal.
func TestListenOnWhatOthersHave(t *testing.T) {
	free, err := net.Listen("tcp", loopback())
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	path := "unix:" + filepath.Join(t.TempDir(), "s")
	for _, address := range []string{at, path} {
		_, first, ended := start(t, nano.Config{ReusePort: true}, nil)
		go func() { ended <- first.Listen(address) }()
		network, to := "tcp", address
		if rest, ok := strings.CutPrefix(address, "unix:"); ok {
			network, to = "unix", rest
		}
		for {
			if c, err := net.Dial(network, to); err == nil {
				c.Close()
				break
			}
		}
		if err := nano.New(nano.Config{}).Listen(address); !errors.Is(err, syscall.EADDRINUSE) || network == "tcp" && !strings.Contains(err.Error(), "ReusePort") {
			t.Errorf("%s: %v", address, err)
		}
		cert, key := writePair(t, t.TempDir(), 1)
		if err := nano.New(nano.Config{}).ListenTLS(address, cert, key); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s with TLS: %v", address, err)
		}
		if network == "tcp" {
			second := nano.New(nano.Config{ReusePort: true})
			go func() { ended <- second.Listen(address) }()
			defer second.Shutdown(context.Background())
		}
		defer first.Shutdown(context.Background())
	}
}
