//go:build linux

package storm

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// exchange1 is a request over HTTP/1.1.
type exchange1 struct {
	e       *endpoint
	c       net.Conn
	broken  *atomic.Bool // it is
	w       *bufio.Writer
	r       *http.Request
	told    bool // 100 Continue was sent, or isn't expected
	chunked bool
	none    bool // no content
	over    bool // the connection is
}

// serve1 serves a connection over HTTP/1.1.
func (e *endpoint) serve1(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		broken := &atomic.Bool{}
		req, one := e.s.begins(e, broken, r.Header.Get("x-token"), r.Method, r.RequestURI, r.Host, r.Header.Get("x-mirrored") != "")
		if req == nil {
			io.WriteString(c, "HTTP/1.1 500 Unknown\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			return
		}
		if req.route.kind == "ws" {
			e.tunnel1(c, in, r, req, one)
			return
		}
		x := &exchange1{e: e, c: c, broken: broken, w: bufio.NewWriter(c), r: r, told: r.Header.Get("Expect") == ""}
		e.handle(x, req, one)
		if x.over || !one.responded {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		for name, values := range r.Trailer {
			e.s.requestTrailer(req, strings.ToLower(name), values)
		}
	}
}

// requestTrailer checks a trailer of a request.
func (l *ledger) requestTrailer(r *request, name string, values []string) {
	for _, v := range values {
		if name != "x-asked" || v != r.token || len(r.asked) == 0 {
			l.violate("foreign-trailers", "%s: %s with the request %s", name, v, r)
		}
	}
}

func (x *exchange1) Read(p []byte) (int, error) {
	if !x.told {
		x.told = true
		io.WriteString(x.c, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	return x.r.Body.Read(p)
}

func (x *exchange1) interim() {
	io.WriteString(x.c, "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n")
}

func (x *exchange1) head(status int, fields []field, length int) error {
	fmt.Fprintf(x.w, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, f := range fields {
		fmt.Fprintf(x.w, "%s: %s\r\n", f.name, f.value)
	}
	x.none = x.r.Method == "HEAD"
	if length >= 0 {
		fmt.Fprintf(x.w, "Content-Length: %d\r\n\r\n", length)
	} else {
		x.chunked = true
		io.WriteString(x.w, "Transfer-Encoding: chunked\r\n\r\n")
	}
	return x.w.Flush()
}

func (x *exchange1) Write(p []byte) (int, error) {
	if x.none || len(p) == 0 {
		return len(p), nil
	}
	if x.chunked {
		fmt.Fprintf(x.w, "%x\r\n", len(p))
	}
	x.w.Write(p)
	if x.chunked {
		io.WriteString(x.w, "\r\n")
	}
	return len(p), x.w.Flush()
}

func (x *exchange1) end(trailers []field) error {
	if x.chunked && !x.none {
		io.WriteString(x.w, "0\r\n")
		for _, f := range trailers {
			fmt.Fprintf(x.w, "%s: %s\r\n", f.name, f.value)
		}
		io.WriteString(x.w, "\r\n")
	}
	return x.w.Flush()
}

func (x *exchange1) fail(fault string) (goesOn bool) {
	x.over = true
	if fault == "close-after" {
		x.e.of.disturb() // the next request may be on its way already
		shut(x.c)
		return false
	}
	x.broken.Store(true)
	x.e.of.disturb()
	closeConn(x.c, strings.HasPrefix(fault, "cut"))
	x.e.of.disturb()
	return false
}
