//go:build linux

package command

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"dyno.example/nanogate/internal/commandtest"
)

var adminListens = regexp.MustCompile(`msg=admin address=(\S+)/`)

// When there are more clients than files, those that are there are served, the others
// wait until there is room, and the admin address responds all the time.
func TestRoomForFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nroutes: [{to: "+commandtest.Named(t, "up")+"}]\n")
	g := commandtest.StartAs(t, func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -n 160 && exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)
	}, "run", "-c", path)
	admin := adminListens.FindStringSubmatch(g.Says(t, "msg=admin"))[1]
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
	served := func(c net.Conn) {
		t.Helper()
		c.SetDeadline(time.Now().Add(30 * time.Second))
		io.WriteString(c, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
			t.Errorf("%s, %v", resp.Status, err)
		}
	}
	var clients []net.Conn
	for i := range 150 {
		c, err := net.Dial("tcp", g.Address) // the kernel lets them into the queue
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if clients = append(clients, c); i < 5 {
			served(c) // of those that come later, the queue of a busy loop may hold any
		}
	}
	g.Says(t, "no room for more clients")
	ready()
	for _, c := range clients[:5] {
		served(c)
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
