package http3

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"sync/atomic"
)

// Request is a request.
type Request struct {
	Method, Authority, Path string
	Fields                  http.Header // names as http.Header has them
	Body                    []byte
}

// Trace is what is called while a request is under way, each from whatever goroutine.
type Trace struct {
	Sent  func()                        // its head is written now; the server allows its stream
	First func()                        // the first byte of the response is here
	Head  func(head *http.Response)     // the response's head
	Data  func(status int, part []byte) // a part of its body, good until it returns
}

// Do sends a request and reads its response to its end, at most until ctx ends. It may
// wait for the server to allow a stream before it sends.
func (c *Conn) Do(ctx context.Context, r *Request, trace *Trace) error {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaderField: func(string, []string) {
			if sent.CompareAndSwap(false, true) {
				trace.Sent()
			}
		},
		GotFirstResponseByte: trace.First,
		Got1xxResponse:       func(int, textproto.MIMEHeader) error { return nil },
	})
	resp, err := c.http.RoundTrip(r.request(ctx))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	trace.Head(resp)
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			trace.Data(resp.StatusCode, buf[:n])
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// request is r as quic-go takes it.
func (r *Request) request(ctx context.Context) *http.Request {
	target := &url.URL{Scheme: "https", Host: r.Authority, Opaque: r.Path}
	if strings.HasPrefix(r.Path, "//") { // would be taken for an authority
		path, query, _ := strings.Cut(r.Path, "?")
		target.Opaque, target.Path, target.RawPath, target.RawQuery = "", path, path, query
	}
	req := (&http.Request{Method: r.Method, URL: target, Host: r.Authority, Header: r.Fields, Proto: "HTTP/3.0", ProtoMajor: 3}).WithContext(ctx)
	if _, ok := r.Fields["User-Agent"]; !ok {
		r.Fields["User-Agent"] = []string{""} // quic-go would send its own
	}
	if len(r.Body) > 0 {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
	}
	return req
}
