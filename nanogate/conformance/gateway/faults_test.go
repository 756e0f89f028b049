//go:build linux

package gateway_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What an upstream must not say, and what the client gets then.
func TestHostileUpstream(t *testing.T) {
	const get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	for _, c := range []struct {
		name, response string
		status         int    // 0: the connection is reset in the middle
		body           string // what came before that
	}{
		{"not HTTP", "220 smtp ready\r\n", 502, ""},
		{"HTTP/2", "HTTP/2 200\r\n\r\n", 502, ""},
		{"nothing", "", 502, ""},
		{"half a status line", "HTTP/1.1 2", 502, ""},
		{"half a head", "HTTP/1.1 200 OK\r\nContent-Le", 502, ""},
		{"status of two digits", "HTTP/1.1 20 OK\r\n\r\n", 502, ""},
		{"status below 100", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", 502, ""},
		{"length and coding", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 502, ""},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nOK", 502, ""},
		{"length in a list", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nOK", 502, ""},
		{"signed length", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nOK", 502, ""},
		{"coding in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 502, ""},
		{"unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", 502, ""},
		{"coding twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 502, ""},
		{"bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nOK", 502, ""},
		{"bare CR in a value", "HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 2\r\n\r\nOK", 502, ""},
		{"NUL in a value", "HTTP/1.1 200 OK\r\nA: b\x00c\r\nContent-Length: 2\r\n\r\nOK", 502, ""},
		{"folded field", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 2\r\n\r\nOK", 502, ""},
		{"space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nOK", 502, ""},
		{"endless head", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 70<<10), 502, ""},
		{"too many fields", "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 300) + "\r\n", 502, ""},
		{"switching without being asked", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", 502, ""},
		{"shorter than it said", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nOK", 0, "OK"},
		{"chunks cut", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n", 0, "OK"},
		{"chunk size that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0x2\r\nOK\r\n0\r\n\r\n", 0, "OK"},
		{"chunk longer than said", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOKAY\r\n0\r\n\r\n", 0, "OK"},
		{"trailer that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0\r\nnone\r\n\r\n", 0, "OK"},
	} {
		upstream := scripted(t, func(p *peer) {
			if _, err := p.request(); err == nil {
				io.WriteString(p, c.response)
			}
		})
		client := dial(t, proxying(t, upstream))
		client.send(get)
		resp, err := http.ReadResponse(client.r, &http.Request{Method: "GET"})
		if c.status != 0 {
			if err != nil || resp.StatusCode != c.status {
				t.Errorf("%s: %v, %v", c.name, resp, err)
			} else if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"status":502`) {
				t.Errorf("%s: %s, %v", c.name, body, err)
			}
			continue
		}
		if err != nil {
			continue // the reset overtook what came before it
		}
		if body, err := io.ReadAll(resp.Body); err == nil || !strings.HasPrefix(c.body, string(body)) {
			t.Errorf("%s: %q came as if it were whole", c.name, body)
		}
	}
}

// A connection that the upstream closed while it was idle costs no request.
func TestStaleConnection(t *testing.T) {
	var connections atomic.Int32
	upstream := scripted(t, func(p *peer) {
		connections.Add(1)
		if _, err := p.request(); err == nil {
			p.send(ok)
			p.request() // the next one is read and gets no response
		}
	})
	_, at := startLoops(t, 1, "routes: [{to: http://"+upstream+"}]\n")
	client := dial(t, at)
	for i := range 5 {
		client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, body := client.response(t, "GET"); body != "OK" {
			t.Fatalf("request %d: %d %s", i, resp.StatusCode, body)
		}
	}
	// Who may have been seen isn't sent again.
	client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
	if resp, _ := client.response(t, "POST"); resp.StatusCode != 502 {
		t.Errorf("POST: %d", resp.StatusCode)
	}
	if n := connections.Load(); n != 5 {
		t.Errorf("%d connections", n)
	}
}

// Who doesn't listen isn't waited for, and another endpoint is asked.
func TestConnectFails(t *testing.T) {
	if resp, _ := ask(t, proxying(t, nobody), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 502 {
		t.Errorf("alone: %d", resp.StatusCode)
	}
	somebody, requests := respondingWith(t, ok)
	_, at := start(t, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+nobody+"\", \""+somebody+"\"], balance: round-robin}}\n")
	for range 6 {
		if resp, body := ask(t, at, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"); body != "OK" {
			t.Errorf("beside another: %d %s", resp.StatusCode, body)
		}
	}
	if n := requests.Load(); n != 6 {
		t.Errorf("%d requests arrived", n)
	}
}

// A status that the route retries is asked for elsewhere, within the attempts, and only
// for methods that may be sent twice.
func TestRetryStatus(t *testing.T) {
	bad, failures := respondingWith(t, "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
	good, _ := respondingWith(t, ok)
	_, at := start(t, "routes: [{to: u, retry: {on: [503], attempts: 2}}]\nupstreams: {u: {endpoints: [\""+bad+"\", \""+good+"\"], balance: round-robin}}\n")
	for range 4 {
		if resp, _ := ask(t, at, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); resp.StatusCode != 200 {
			t.Errorf("GET: %d", resp.StatusCode)
		}
	}
	before := failures.Load()
	refused := 0
	for range 4 {
		if resp, _ := ask(t, at, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"); resp.StatusCode == 503 {
			refused++
		}
	}
	if before == 0 || refused == 0 || int(failures.Load()-before) != refused {
		t.Errorf("%d GETs and %d POSTs were refused by the one, %d clients of POST heard of it", before, failures.Load()-before, refused)
	}
}

// Time limits of a route and of an upstream.
func TestLate(t *testing.T) {
	silent := scripted(t, func(p *peer) { p.request(); io.Copy(io.Discard, p) })
	for name, text := range map[string]string{
		"route":    "routes: [{to: u, timeout: 50ms}]\nupstreams: {u: [\"" + silent + "\"]}\n",
		"upstream": "routes: [{to: u}]\nupstreams: {u: {endpoints: [\"" + silent + "\"], response: 50ms}}\n",
		"try":      "routes: [{to: u, retry: {timeout: 50ms, attempts: 2, on: [timeout]}}]\nupstreams: {u: [\"" + silent + "\"]}\n",
	} {
		_, at := start(t, text)
		client := dial(t, at)
		client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, _ := client.response(t, "GET"); resp.StatusCode != 504 || resp.Close {
			t.Errorf("%s: %d, close %v", name, resp.StatusCode, resp.Close)
		}
	}
	half := scripted(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
		io.Copy(io.Discard, p)
	})
	_, at := start(t, "routes: [{to: u, timeout: 50ms}]\nupstreams: {u: [\""+half+"\"]}\n")
	client := dial(t, at)
	client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if resp, err := http.ReadResponse(client.r, nil); err == nil && resp.StatusCode == 200 { // 504: half of it came too late
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("half a response came as if it were whole")
		}
	}
}

// Clients that are slow with their request, and those that go.
func TestSlowClient(t *testing.T) {
	upstream, _ := respondingWith(t, ok)
	_, at := start(t, "client: {read-head: 100ms, read-body: 100ms}\nroutes: [{to: http://"+upstream+"}]\n")
	for name, part := range map[string]string{
		"head": "GET / HTTP/1.1\r\nHost:", "body": "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
	} {
		client := dial(t, at)
		client.send("%s", part)
		if resp, _ := client.response(t, "GET"); resp.StatusCode != 408 || !resp.Close {
			t.Errorf("%s: %d, close %v", name, resp.StatusCode, resp.Close)
		}
	}
	_, at = start(t, "client: {idle: 100ms}\nroutes: [{to: http://"+upstream+"}]\n")
	if rest := dial(t, at).rest(); rest != "" {
		t.Errorf("an idle client was told %q", rest)
	}
}

// A client that goes takes its request with it: the upstream's connection ends.
func TestClientGone(t *testing.T) {
	arrived, ended := make(chan bool), make(chan bool)
	upstream := scripted(t, func(p *peer) {
		p.request()
		arrived <- true
		p.r.ReadByte()
		ended <- true
	})
	client := dial(t, proxying(t, upstream))
	client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-arrived
	client.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the upstream goes on for nobody")
	}
}

// 100 Continue is the upstream's to send, and a final response in its place ends the exchange.
func TestExpectContinue(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		h, err := p.head()
		if err != nil {
			return
		}
		if strings.Contains(h, "/no") {
			p.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
			return
		}
		if !strings.Contains(h, "Expect: 100-continue") {
			return
		}
		p.send("HTTP/1.1 100 Continue\r\n\r\n")
		b := make([]byte, 5)
		if _, err := io.ReadFull(p.r, b); err == nil {
			p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n%s", b)
		}
	})
	at := proxying(t, upstream)
	client := dial(t, at)
	client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	if line, _ := client.r.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q", line)
	}
	client.r.ReadString('\n')
	client.send("hello")
	if _, body := client.response(t, "POST"); body != "hello" {
		t.Errorf("%q", body)
	}
	resp, _ := ask(t, at, "POST /no HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	if resp.StatusCode != 403 || !resp.Close {
		t.Errorf("refused: %d, close %v", resp.StatusCode, resp.Close)
	}
}

// An upstream that responds before the request's body is in: the client gets the response.
func TestEarlyResponse(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		p.head()
		p.send("HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nmore")
	})
	client := dial(t, proxying(t, upstream))
	client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n%s", strings.Repeat("x", 1000))
	if resp, body := client.response(t, "POST"); resp.StatusCode != 413 || body != "more" || !resp.Close {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
}

// An upgrade is a tunnel once the upstream has agreed, and not a byte before.
func TestUpgrade(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		h, err := p.head()
		if err != nil {
			return
		}
		if !strings.Contains(h, "Connection: Upgrade\r\nUpgrade: echo\r\n") {
			p.send("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")
			return
		}
		p.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := p.r.ReadByte(); err == nil {
			p.send("HTTP/1.1 400 Early\r\nContent-Length: 0\r\n\r\n")
			return
		}
		p.SetReadDeadline(time.Time{})
		p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nhello ")
		io.Copy(p, p.r)
	})
	client := dial(t, proxying(t, upstream))
	client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nearly ")
	resp, err := http.ReadResponse(client.r, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Upgrade") != "echo" {
		t.Fatalf("%v %v", resp, err)
	}
	large := strings.Repeat("0123456789", 100_000)
	go func() {
		client.send("%s", large)
		client.Conn.(*net.TCPConn).CloseWrite()
	}()
	if got := client.rest(); got != "hello early "+large {
		t.Errorf("%d bytes came through, %.40q", len(got), got)
	}
}

// A reader that takes nothing stops the upstream's sending: what lies in between is
// bounded.
func TestBackPressure(t *testing.T) {
	var sent atomic.Int64
	stalled := make(chan bool, 1)
	upstream := scripted(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
		p.Conn.(*net.TCPConn).SetWriteBuffer(64 << 10)
		block := make([]byte, 64<<10)
		for {
			p.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
			n, err := p.Write(block)
			sent.Add(int64(n))
			if err != nil {
				stalled <- true
				return
			}
		}
	})
	_, at := start(t, "routes: [{to: http://"+upstream+"}]\n")
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.(*net.TCPConn).SetReadBuffer(64 << 10)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	bufio.NewReader(c).Peek(1)
	<-stalled
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes were taken for a client that takes none", n)
	}
}

// What is refused in the middle of several requests that came at once is the last that
// gets a response.
func TestPipelinedRefusal(t *testing.T) {
	upstream, requests := respondingWith(t, ok)
	_, at := startLoops(t, 1, "client: {body: 5B}\nroutes: [{to: http://"+upstream+"}]\n")
	client := dial(t, at)
	const get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
	client.send("%s", get+get+"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 600\r\n\r\n"+strings.Repeat("x", 600)+get)
	for _, want := range []int{200, 200, 413} {
		if resp, _ := client.response(t, "GET"); resp.StatusCode != want {
			t.Errorf("%d, want %d", resp.StatusCode, want)
		}
	}
	if rest := client.rest(); rest != "" || requests.Load() != 2 {
		t.Errorf("then %q, and %d requests arrived", rest, requests.Load())
	}
}

// A request that says how often it may be sent on is counted down, and ends here when it
// may not be.
func TestMaxForwards(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		r, err := p.request()
		if err != nil {
			return
		}
		text := r.Header.Get("Max-Forwards")
		p.send("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	})
	at := proxying(t, upstream)
	for _, c := range []struct {
		method, value string
		status        int
		body          string
	}{{"OPTIONS", "3", 200, "2"}, {"TRACE", "1", 200, "0"}, {"OPTIONS", "0", 204, ""}, {"TRACE", "0", 405, ""}, {"TRACE", "x", 400, ""}, {"GET", "0", 200, "0"}} {
		resp, body := ask(t, at, c.method+" / HTTP/1.1\r\nHost: h\r\nMax-Forwards: "+c.value+"\r\n\r\n")
		if resp.StatusCode != c.status || c.status == 200 && body != c.body {
			t.Errorf("%s %s: %d %s", c.method, c.value, resp.StatusCode, body)
		}
	}
}

// When an endpoint dies with requests under way, those that may be sent twice are
// served by another one.
func TestEndpointDies(t *testing.T) {
	arrived := make(chan bool, 10)
	die := make(chan bool)
	dying := scripted(t, func(p *peer) {
		p.request()
		arrived <- true
		<-die
	})
	living, _ := respondingWith(t, ok)
	_, at := start(t, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+dying+"\", \""+living+"\"], balance: round-robin}}\n")
	var clients []*peer
	for range 8 {
		client := dial(t, at)
		client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
		clients = append(clients, client)
	}
	<-arrived
	close(die)
	for _, client := range clients {
		if resp, body := client.response(t, "PUT"); body != "OK" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
}
