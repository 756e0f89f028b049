package main

import (
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
)

func TestUp(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a subject")
	}
	home := t.TempDir()
	s := start(t, home, "up", "go/nethttp")
	up := regexp.MustCompile(`is up on (http://\S+)`)
	s.comesTo(t, "the subject", func() bool { return up.MatchString(s.stdout.String()) })
	url := up.FindStringSubmatch(s.stdout.String())[1]
	resp, err := http.Get(url + "/json")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", resp, err)
	}
	s.signal(t, os.Interrupt)
	o := s.wait(t)
	contains(t, o.stderr, "building go/nethttp, which takes", "built go/nethttp in ")
	o.want(t, 130, o.stdout, "Ctrl-C stops it", "/users/42/profile", "201")
	if _, err := http.Get(url); err == nil {
		t.Error("the subject still responds")
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	o = dyno(t, home, "up", "go/nethttp", "--port", port)
	o.want(t, 1, o.stderr, "can't have port "+port, "choose another")
}
