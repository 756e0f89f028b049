//go:build linux

package main

import (
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

var adminListens = regexp.MustCompile(`msg=admin address=(\S+)/`)

// When there are more clients than files, those that are there are served, the others
// wait until there is room, and the admin address answers all the time.
func TestRoomForFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	write(t, path, "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nroutes: [{to: "+named(t, "up")+"}]\n")
	g := startAs(t, func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -n 160 && exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)
	}, "run", "-c", path)
	admin := adminListens.FindStringSubmatch(g.says(t, "msg=admin"))[1]
	ready := func() {
		t.Helper()
		resp, err := http.Get(admin + "/ready")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("/ready: %d", resp.StatusCode)
		}
	}
	var clients []net.Conn
	for range 150 {
		c, err := net.Dial("tcp", g.address) // the kernel lets them into the queue
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(30 * time.Second))
		clients = append(clients, c)
	}
	g.says(t, "no room for more clients")
	ready()
	served := func(c net.Conn) {
		t.Helper()
		io.WriteString(c, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		b := make([]byte, 15)
		if _, err := io.ReadFull(c, b); err != nil || string(b) != "HTTP/1.1 200 OK" {
			t.Errorf("%q, %v", b, err)
		}
	}
	for i := range 5 {
		served(clients[i])
	}
	ready()
	for _, c := range clients[:140] {
		c.Close()
	}
	for _, c := range clients[140:] {
		served(c)
	}
	ready()
}
