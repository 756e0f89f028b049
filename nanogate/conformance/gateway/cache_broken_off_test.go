//go:build linux

package gateway_test

import (
	"strings"
	"testing"
)

// A client that has been told that what it has is good goes on, though the response that was
// to be stored meanwhile breaks off; that isn't stored.
func TestNotModifiedWhileStoringFails(t *testing.T) {
	told := make(chan struct{})
	up := scripted(t, func(c *peer) {
		for {
			head, err := c.head()
			if err != nil {
				return
			}
			if strings.HasPrefix(head, "GET /whole") {
				c.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole")
				continue
			}
			c.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\npart")
			<-told
			return
		}
	})
	_, at := startLoops(t, 1, "cache: {size: 16MiB}\nroutes: [{cache: {}, to: http://"+up+"}]\n")
	for version := 1; version <= 2; version++ {
		if version == 2 {
			f := dialFramed(t, at)
			f.head(1, true, ":method", "GET", ":scheme", "http", ":authority", "h", ":path", "/part", "if-none-match", `"a"`)
			if status, head := f.responseHead(); status != "304" || !head.StreamEnded() {
				told <- struct{}{}
				if _, ended := f.data(0); status != "304" || !ended {
					t.Errorf("over HTTP/2: %s, ended %t", status, ended)
				}
			}
			continue
		}
		c := dial(t, at)
		c.send("GET /part HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"a\"\r\n\r\nGET /whole HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, _ := c.response(t, "GET"); resp.StatusCode != 304 {
			t.Fatalf("the first: %s", resp.Status)
		}
		told <- struct{}{}
		if resp, body := c.response(t, "GET"); resp.StatusCode != 200 || body != "whole" {
			t.Errorf("the second: %s %q", resp.Status, body)
		}
	}
}
