package nanotest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// Response is a complete response.
type Response struct {
	Status  int
	Header  http.Header
	Trailer http.Header
	Body    []byte
	// Cut is why the connection was closed before the response was complete; nil if
	// it was not.
	Cut error
}

// Text returns the body as a string.
func (r *Response) Text() string { return string(r.Body) }

// JSON decodes the body.
func (r *Response) JSON(v any) error { return json.Unmarshal(r.Body, v) }

// read parses a response.
func read(method string, from io.Reader, failed error) *Response {
	resp, err := http.ReadResponse(bufio.NewReader(from), &http.Request{Method: method})
	if err != nil && failed != nil {
		return &Response{Header: http.Header{}, Cut: failed}
	}
	if err != nil {
		panic("nanotest: the response is not HTTP/1.1: " + err.Error())
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil && failed == nil {
		panic("nanotest: the body of the response can't be read: " + err.Error())
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Trailer: resp.Trailer, Body: body, Cut: failed}
}

// Open sends the request and returns the response as soon as its head is there; the
// body comes as the handler flushes it. When ctx ends the client has gone. The caller
// closes the body.
func (r *Request) Open(ctx context.Context) (*http.Response, error) {
	out, in := io.Pipe()
	go func() {
		err := r.client.app.ServeBytes(ctx, r.client.from, r.bytes(), in)
		in.CloseWithError(err) // nil is the end
	}()
	resp, err := http.ReadResponse(bufio.NewReader(out), &http.Request{Method: r.method})
	if err != nil {
		out.CloseWithError(err)
		return nil, err
	}
	resp.Body = &body{resp.Body, out}
	return resp, nil
}

// body closes the pipe, so that a handler that still writes finds out.
type body struct {
	io.ReadCloser
	pipe *io.PipeReader
}

func (b *body) Close() error {
	b.pipe.CloseWithError(io.ErrClosedPipe)
	return nil
}
