//go:build linux

package storm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// connection1 is a client's connection over HTTP/1.1.
type connection1 struct {
	s     *Storm
	c     net.Conn
	in    *bufio.Reader
	rng   *rand.Rand
	prior []*request // on this connection
	next  []*request // that were sent already
}

// client1 sends requests over one connection, one after the other or several at once.
func (s *Storm) client1(rng *rand.Rand, kind string, end time.Time) {
	secured := kind == "c1tls" || (kind == "web" || kind == "json") && s.on["c1tls"] && rng.IntN(2) == 0
	c, err := s.dial(secured, "http/1.1")
	if err != nil {
		s.noConnection(kind, err)
		return
	}
	defer c.Close()
	k := &connection1{s: s, c: c, in: bufio.NewReader(c), rng: rng}
	for range 1 + rng.IntN(20) {
		if time.Now().After(end) || s.child.ended() {
			return
		}
		if kind == "pipe" {
			if !k.pipeline(1 + rng.IntN(6)) {
				return
			}
			continue
		}
		r := s.draw(rng, kind)
		if r == nil {
			time.Sleep(10 * time.Millisecond)
			return
		}
		if !k.roundTrip(r) {
			return
		}
		k.prior = append(k.prior, r)
	}
}

// head1 is the request's head.
func (r *request) head1() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: storm.example\r\nX-Token: %s\r\nTE: trailers\r\nConnection: TE\r\n", r.method, r.path, r.token)
	switch {
	case r.client == "web":
		b.WriteString("Content-Type: application/grpc-web+proto\r\nX-Grpc-Web: 1\r\n")
	case r.client == "json":
		b.WriteString("Content-Type: application/json\r\n")
	}
	if r.expect {
		b.WriteString("Expect: 100-continue\r\n")
	}
	switch {
	case r.chunked && r.method != "GET" && r.method != "HEAD":
		b.WriteString("Transfer-Encoding: chunked\r\n")
	case len(r.body) > 0 || r.method == "PUT" || r.method == "POST":
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
	}
	b.WriteString("\r\n")
	return b.String()
}

// pieces1 are the bytes of the request after its head; the last piece ends it.
func (r *request) pieces1(rng *rand.Rand) (list [][]byte) {
	framed := r.chunked && r.method != "GET" && r.method != "HEAD"
	for rest := r.body; len(rest) > 0; {
		n := min(len(rest), 1+rng.IntN(max(2, len(r.body)/(1+rng.IntN(8)))))
		one := rest[:n]
		rest = rest[n:]
		if framed {
			one = bytes.Join([][]byte{fmt.Appendf(nil, "%x\r\n", n), one, []byte("\r\n")}, nil)
		}
		list = append(list, one)
	}
	if framed {
		last := "0\r\n"
		for _, f := range r.asked {
			last += f.name + ": " + f.value + "\r\n"
		}
		list = append(list, []byte(last+"\r\n"))
	}
	return list
}

// pipeline sends several requests at once and reads their responses.
func (k *connection1) pipeline(n int) bool {
	var list []*request
	var all bytes.Buffer
	for range n {
		r := k.s.draw(k.rng, "pipe")
		r.abort, r.expect, r.early = "", false, false
		list = append(list, r)
		all.WriteString(r.head1())
		for _, p := range r.pieces1(k.rng) {
			all.Write(p)
		}
		r.allSent.Store(true)
	}
	defer func() { k.next = nil }()
	go k.c.Write(all.Bytes())
	for i, r := range list {
		k.next = list[i+1:]
		if !k.response(r, nil) {
			for _, other := range list[i+1:] { // theirs won't be read
				other.gone.Store(true)
			}
			return false
		}
		k.prior = append(k.prior, r)
	}
	return true
}

// roundTrip sends a request and reads the response; false if the connection is used up.
func (k *connection1) roundTrip(r *request) bool {
	head, pieces := r.head1(), r.pieces1(k.rng)
	if len(pieces) < 2 && r.abort == "body" {
		r.abort = "response"
	}
	if len(pieces) == 0 && r.abort != "head" {
		r.allSent.Store(true)
	}
	switch r.abort {
	case "head":
		r.gone.Store(true)
		io.WriteString(k.c, head[:len(head)/2])
		closeConn(k.c, r.hard)
		k.s.count(r.client + " gone")
		return false
	case "body":
		r.gone.Store(true)
		io.WriteString(k.c, head)
		for _, p := range pieces[:len(pieces)/2] {
			k.c.Write(p)
		}
		if k.rng.IntN(2) == 0 {
			time.Sleep(time.Duration(k.rng.IntN(20)) * time.Millisecond)
		}
		closeConn(k.c, r.hard)
		k.s.count(r.client + " gone")
		return false
	case "response", "end":
		r.gone.Store(true)
		r.allSent.Store(true)
		io.WriteString(k.c, head+string(bytes.Join(pieces, nil)))
		if r.abort == "end" {
			if t, ok := k.c.(*net.TCPConn); ok {
				t.CloseWrite()
			}
			k.response(r, nil)
		} else {
			closeConn(k.c, r.hard)
			k.s.count(r.client + " gone")
		}
		return false
	}
	goOn := make(chan bool, 1)
	sent := make(chan bool, 1)
	go func() { sent <- k.send(r, head, pieces, goOn) }()
	if !k.response(r, goOn) {
		k.c.Close()
		<-sent
		return false
	}
	select {
	case whole := <-sent:
		return whole
	case <-time.After(100 * time.Millisecond): // an early response, and the rest of the body isn't wanted
		k.c.Close()
		<-sent
		return false
	}
}

// send sends it, the body after a 100 Continue if it is to wait for that.
func (k *connection1) send(r *request, head string, pieces [][]byte, goOn chan bool) bool {
	k.c.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(k.c, head); err != nil {
		return false
	}
	if r.expect {
		select {
		case <-goOn:
		case <-time.After(2 * time.Second):
		}
	}
	for i, p := range pieces {
		if i == len(pieces)-1 {
			r.allSent.Store(true)
		}
		if _, err := k.c.Write(p); err != nil {
			return false
		}
		pause(r.slow)
	}
	return true
}

// response reads a request's response; false if the connection is used up.
func (k *connection1) response(r *request, goOn chan bool) bool {
	j := &judge{s: k.s, r: r, bare: r.method == "HEAD", prior: k.prior, behind: k.next}
	for {
		k.c.SetReadDeadline(time.Now().Add(patience))
		resp, err := http.ReadResponse(k.in, &http.Request{Method: r.method})
		if err != nil {
			j.cut(err)
			return false
		}
		if resp.StatusCode/100 == 1 {
			if resp.StatusCode == 100 && goOn != nil {
				goOn <- true
				goOn = nil
			}
			continue
		}
		if r.expect && goOn != nil {
			goOn <- true
		}
		if r.client == "web" || r.client == "json" {
			return k.collected(j, resp)
		}
		j.head(resp.StatusCode, resp.Header.Get)
		if !k.take(j, resp) {
			return false
		}
		var trailers []field
		for name, values := range resp.Trailer {
			for _, v := range values {
				trailers = append(trailers, field{strings.ToLower(name), v})
			}
		}
		j.ended(trailers)
		return !resp.Close
	}
}

// take reads the content; false if it breaks off, or the client wants no more of it.
func (k *connection1) take(j *judge, resp *http.Response) bool {
	p := make([]byte, 8<<10)
	for got := 0; ; {
		n, err := resp.Body.Read(p)
		j.Write(p[:n])
		got += n
		if err == io.EOF {
			return true
		}
		if err != nil {
			j.cut(err)
			return false
		}
		if j.r.abort == "content" && got > j.r.want/2 {
			j.r.gone.Store(true)
			closeConn(k.c, j.r.hard)
			k.s.count(j.r.client + " gone")
			return false
		}
		pause(j.r.slow)
	}
}

// collected reads a response whose content is checked as a whole.
func (k *connection1) collected(j *judge, resp *http.Response) bool {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		j.status = resp.StatusCode
		j.cut(err)
		return false
	}
	if j.r.client == "json" {
		j.jsonEnded(resp.StatusCode, body)
		return !resp.Close
	}
	j.head(resp.StatusCode, resp.Header.Get)
	var trailers []field
	var content []byte
	list, rest := framesOf(body)
	for _, one := range list {
		if one[0]&0x80 == 0 {
			content = append(content, one...)
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSpace(string(one[5:])), "\r\n") {
			name, value, _ := strings.Cut(line, ":")
			trailers = append(trailers, field{name, strings.TrimSpace(value)})
		}
	}
	j.Write(content)
	if len(rest) > 0 {
		j.Write(rest)
	}
	if j.content == nil && resp.StatusCode == 200 && len(trailers) == 0 && resp.Header.Get("grpc-status") == "" {
		j.cut(errors.New("there is no status of gRPC"))
		return false
	}
	j.ended(trailers)
	return !resp.Close
}
