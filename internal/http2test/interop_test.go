package http2test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/nano/wire/http2"
)

// TestServerWithTheirClient serves x/net's client: bodies both ways that are larger
// than all windows, trailers, many streams at a time.
func TestServerWithTheirClient(t *testing.T) {
	here, there := dial(t)
	cfg := http2.NewConfig(http2.Config{Server: true, Table: 4096})
	var served sync.WaitGroup
	served.Go(func() { serveEcho(there, cfg) })
	transport := &xhttp2.Transport{
		AllowHTTP:      true,
		DialTLSContext: func(context.Context, string, string, *tls.Config) (net.Conn, error) { return here, nil },
	}
	client := &http.Client{Transport: transport}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for k := range 5 {
				body := bytes.Repeat([]byte{byte('a' + i)}, 1+i*k*9999)
				req, _ := http.NewRequest("POST", "http://host/echo", bytes.NewReader(body))
				value := fmt.Sprint(i % 3)
				req.Header.Set("X-Value", value)
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(resp.Body)
				if err != nil || !bytes.Equal(got, body) || resp.Header.Get("X-Value") != value {
					t.Errorf("%d bytes of %d, %v, X-Value %q", len(got), len(body), err, resp.Header.Get("X-Value"))
				}
				if want := fmt.Sprint(len(body) % 10); resp.Trailer.Get("X-Length") != want {
					t.Errorf("X-Length %q, want %s", resp.Trailer.Get("X-Length"), want)
				}
			}
		})
	}
	wg.Wait()
	req, _ := http.NewRequest("GET", "http://host/", nil)
	req.Header.Set("X-Long", strings.Repeat("x", 20000))
	if resp, err := client.Do(req); err == nil && resp.StatusCode != 431 {
		t.Errorf("fields beyond the limit: %d", resp.StatusCode)
	}
	transport.CloseIdleConnections()
	here.Close()
	served.Wait()
}

// TestClientWithTheirServer asks x/net's server for bodies larger than all windows,
// on many streams at a time, and sends as much.
func TestClientWithTheirServer(t *testing.T) {
	here, there := dial(t)
	go new(xhttp2.Server).ServeConn(there, &xhttp2.ServeConnOpts{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("X-Path", r.URL.Path)
		n, _ := io.Copy(w, r.Body)
		w.Header().Set("X-Sum", fmt.Sprint(n))
	})})
	const total, size = 60, 300_000
	c := new(http2.Conn)
	c.Start(http2.NewConfig(http2.Config{Table: 4096}), new(http2.Pool), 0)
	type state struct{ sent, got, status, sum int }
	begun, done := 0, 0
	body := bytes.Repeat([]byte("x"), size)
	send := func(s *http2.Stream) {
		st := s.User.(*state)
		st.sent += c.SendData(s, body[st.sent:], true)
	}
	open := func() {
		for begun < total && c.Streams() < 7 && c.Room() > 0 {
			s, err := c.Open()
			if err != nil {
				t.Fatal(err)
			}
			s.User = new(state)
			c.Request(s, []byte("POST"), []byte("http"), []byte("host"), fmt.Appendf(nil, "/%d", begun%3))
			c.EndHeaders(false)
			send(s)
			begun++
		}
	}
	act := func(ev *http2.Event) {
		if ev.Stream == nil {
			return
		}
		st := ev.Stream.User.(*state)
		switch ev.Kind {
		case http2.EventHead:
			st.status = ev.Header.Status
			if path, _ := ev.Header.Find("x-path"); len(path) != 2 {
				t.Errorf("path %q", path)
			}
		case http2.EventData:
			st.got += len(ev.Data)
			c.Consume(ev.Stream, len(ev.Data))
		case http2.EventWritable:
			send(ev.Stream)
		case http2.EventTrailers:
			sum, _ := ev.Header.Find("x-sum")
			fmt.Sscan(string(sum), &st.sum)
		case http2.EventReset:
			t.Errorf("reset: %v, %v", ev.Code, ev.Err)
			done = total
		}
		if ev.End {
			if st.status != 200 || st.got != size || st.sum != size {
				t.Errorf("%+v", st)
			}
			c.Release(ev.Stream)
			if done++; done == total {
				c.Drain(0)
			}
		}
	}
	drive(here, c, act, open)
	if done != total {
		t.Errorf("%d of %d done", done, total)
	}
}
