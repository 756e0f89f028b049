package http2test

import (
	"net"
	"os/exec"
	"testing"

	"dyno.example/nano/wire/http2"
)

// TestH2spec runs the conformance suite h2spec, in its strict mode, where it is installed.
func TestH2spec(t *testing.T) {
	suite, err := exec.LookPath("h2spec")
	if err != nil {
		t.Skip("h2spec is not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg := http2.NewConfig(http2.Config{Server: true, Table: 4096})
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go serveEcho(nc, cfg)
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	out, err := exec.Command(suite, "-S", "-h", "127.0.0.1", "-p", port, "--timeout", "5").CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("%s", out)
}
