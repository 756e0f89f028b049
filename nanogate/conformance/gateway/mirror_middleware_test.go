//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/request"
)

// telling is an upstream that says what it was asked, to its client and to who listens.
func telling(t *testing.T, version int) (url string, asked chan string) {
	t.Helper()
	asked = make(chan string, 100)
	return serverOver(t, version, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := fmt.Sprintf("%s %s %s %v %s", r.Method, r.RequestURI, r.Host, r.Header["X-Guest"], body)
		w.Header().Set("X-Up", "1")
		io.WriteString(w, text)
		asked <- text
	}), asked
}

// heard is what comes next.
func heard(t *testing.T, from chan string) string {
	t.Helper()
	select {
	case text := <-from:
		return text
	case <-time.After(patience):
		t.Fatal("nothing comes")
		return ""
	}
}

// The shadow gets what middleware and plug-ins have made of a request, with its body, and what
// is compared is the endpoints' responses, not what has been made of them for the client.
func TestMirrorBehindMiddleware(t *testing.T) {
	tag := middleware.Middleware{
		Request: func(r *request.Request) *request.Reply {
			r.Rewrite(request.Line{Method: "PUT", URI: "/to/it?q=1", Host: "example.com"})
			r.Forward("x-guest", []byte("one"))
			return nil
		},
		Response: func(_ *request.Request, p *request.Response) *request.Reply {
			p.SetStatus(203)
			p.Set("x-up", []byte("2"))
			return nil
		},
	}
	slow := tag
	slow.Within = patience
	file := module(t, copies())
	for version := 1; version <= 2; version++ {
		for _, use := range []string{"tag", "slow", "copies", "tag, copies", "copies, slow"} {
			t.Run(fmt.Sprintf("%s over HTTP/%d", use, version), func(t *testing.T) {
				first, asked := telling(t, version)
				second, mirroredTo := telling(t, version)
				g, at := startUsing(t, 2, "plugins: {copies: {wasm: "+file+", "+unrushed+", body: 50kB}}\n"+
					"routes: [{use: ["+use+"], to: \""+first+"\", mirror: {to: \""+second+"\", methods: [POST, PUT], timeout: 10m, compare: {body: true, headers: [x-up]}}}]\n",
					offer("tag", tag), offer("slow", slow))
				line, status, up, mark := "POST /a?b=c h [] ", 200, "1", ""
				if use != "copies" {
					line, status, up = "PUT /to/it?q=1 example.com [one] ", 203, "2"
				}
				if strings.Contains(use, "copies") {
					mark = "<"
				}
				c := dial(t, at)
				bodies := []string{"", "hello", strings.Repeat("long", 10_000)}
				for _, body := range bodies {
					c.send("POST /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
					resp, got := c.response(t, "POST")
					want := line + mark + body
					if resp.StatusCode != status || resp.Header.Get("X-Up") != up || got != mark+want {
						t.Errorf("the client got %s %v %.60q, wanted %.60q", resp.Status, resp.Header, got, mark+want)
					}
					for to, from := range map[string]chan string{"endpoint": asked, "shadow": mirroredTo} {
						if got := heard(t, from); got != want {
							t.Errorf("the %s was asked %.60q, wanted %.60q", to, got, want)
						}
					}
				}
				if c := mirrored(t, g, uint64(len(bodies))); c.Same != uint64(len(bodies)) {
					t.Errorf("%+v, %+v", c, recordOf(g).Samples())
				}
			})
		}
	}
}

// What middleware replies to isn't mirrored, and what it has put in the place of a response
// has nothing that it could be compared with. It is the body as it is sent on that must fit.
func TestMirrorAndMiddlewareThatResponds(t *testing.T) {
	asks := func(field string, how func(*request.Request) *request.Reply) func(*request.Request) *request.Reply {
		return func(r *request.Request) *request.Reply {
			if _, ok := r.Header(field); ok {
				return how(r)
			}
			return nil
		}
	}
	refuses := func(*request.Request) *request.Reply { return request.Refuse(418, "", "") }
	replaces := asks("x-replace", refuses)
	m := middleware.Middleware{
		Request:  asks("x-refuse", refuses),
		Response: func(r *request.Request, _ *request.Response) *request.Reply { return replaces(r) },
	}
	slow := m
	slow.Within = patience
	file := module(t, copies())
	for _, use := range []string{"m", "slow"} {
		first, asked := telling(t, 1)
		second, mirroredTo := telling(t, 1)
		g, at := startUsing(t, 2, "plugins: {copies: {wasm: "+file+", "+unrushed+", body: 50kB}}\n"+
			"routes: [{use: ["+use+", copies], to: \""+first+"\", mirror: {to: \""+second+"\", methods: [POST], body: 1kB, timeout: 10m}}]\n",
			offer("m", m), offer("slow", slow))
		for _, one := range []struct {
			fields  string
			size    int
			status  int
			asked   bool
			dropped mirror.Reason // 0: it isn't even a candidate, or goes to the shadow
		}{
			{"X-Refuse: 1\r\n", 3, 418, false, 0},
			{"X-Replace: 1\r\n", 3, 418, true, mirror.NoResponse},
			{"", 1000, 200, true, mirror.RequestBody}, // the plug-in adds a byte to it
			{"", 999, 200, true, 0},
		} {
			before := recordOf(g).Read()
			request := fmt.Sprintf("POST / HTTP/1.1\r\nHost: h\r\n%sContent-Length: %d\r\n\r\n%s", one.fields, one.size, strings.Repeat("x", one.size))
			if resp, body := ask(t, at, request); resp.StatusCode != one.status {
				t.Errorf("%s, %q of %d bytes: %s %.60s", use, one.fields, one.size, resp.Status, body)
			}
			if one.asked {
				heard(t, asked)
			}
			if one.dropped != 0 {
				waitFor(t, "what is dropped to be counted", func() bool { return !maps.Equal(recordOf(g).Read().Dropped, before.Dropped) })
				if after := recordOf(g).Read(); after.Dropped[one.dropped] != before.Dropped[one.dropped]+1 {
					t.Errorf("%s, %q of %d bytes: dropped are %v, and were %v", use, one.fields, one.size, after.Dropped, before.Dropped)
				}
			}
		}
		if got, want := heard(t, mirroredTo), "POST / h [] <"+strings.Repeat("x", 999); got != want {
			t.Errorf("%s: the shadow was asked %.60q, wanted %.60q", use, got, want)
		}
		counts := mirrored(t, g, 3)
		if counts.Same != 1 || counts.Different+counts.Failed != 0 || len(mirroredTo) > 0 {
			t.Errorf("%s: %+v, %+v, and the shadow was asked %d times more", use, counts, recordOf(g).Samples(), len(mirroredTo))
		}
	}
}
