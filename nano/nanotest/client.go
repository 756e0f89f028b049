// Package nanotest sends requests to an app without sockets:
//
//	client := nanotest.New(app)
//	got := client.Post("/notes").JSON(note{"milk"}).Do()
//	if got.Status != 201 { ... }
//
// A request is written out and read by the server's own HTTP/1.1 codec, with the limits
// of the app; the response is read by net/http's. What needs neither a socket nor a
// loop behaves as it does when the app serves.
package nanotest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"strings"

	"dyno.example/nano"
)

// Client sends requests to one app. It may be used by several goroutines.
type Client struct {
	app  *nano.App
	jar  http.CookieJar
	host string
	from netip.AddrPort
}

// New returns a client of the app, at 192.0.2.1 and with example.com as host.
func New(app *nano.App) *Client {
	return &Client{app: app, host: "example.com", from: netip.MustParseAddrPort("192.0.2.1:50000")}
}

// KeepCookies makes the client send the cookies that it was given.
func (c *Client) KeepCookies() *Client {
	c.jar, _ = cookiejar.New(nil) // fails never
	return c
}

// From sets the client's address.
func (c *Client) From(address netip.AddrPort) *Client { c.from = address; return c }

// Host sets the request's host.
func (c *Client) Host(host string) *Client { c.host = host; return c }

// Get begins a request. Targets are sent as they are.
func (c *Client) Get(target string) *Request { return c.Request("GET", target) }

// Head begins a request.
func (c *Client) Head(target string) *Request { return c.Request("HEAD", target) }

// Post begins a request.
func (c *Client) Post(target string) *Request { return c.Request("POST", target) }

// Put begins a request.
func (c *Client) Put(target string) *Request { return c.Request("PUT", target) }

// Patch begins a request.
func (c *Client) Patch(target string) *Request { return c.Request("PATCH", target) }

// Delete begins a request.
func (c *Client) Delete(target string) *Request { return c.Request("DELETE", target) }

// Request begins a request of any method.
func (c *Client) Request(method, target string) *Request {
	return &Request{client: c, method: method, target: target}
}

// Request is a request that is being put together.
type Request struct {
	client         *Client
	method, target string
	fields         bytes.Buffer
	body           []byte
	hasBody        bool
	chunked        bool
}

// Header adds a header field. It is sent as it is, however wrong.
func (r *Request) Header(name, value string) *Request {
	fmt.Fprintf(&r.fields, "%s: %s\r\n", name, value)
	return r
}

// Body sets the body.
func (r *Request) Body(contentType string, body []byte) *Request {
	r.body, r.hasBody = body, true
	return r.Header("Content-Type", contentType)
}

// Text sets the body to a text.
func (r *Request) Text(body string) *Request {
	return r.Body("text/plain; charset=utf-8", []byte(body))
}

// JSON sets the body to v, encoded. It panics if that fails.
func (r *Request) JSON(v any) *Request {
	body, err := json.Marshal(v)
	if err != nil {
		panic("nanotest: " + err.Error())
	}
	return r.Body("application/json", body)
}

// Form sets the body to an urlencoded form.
func (r *Request) Form(values url.Values) *Request {
	return r.Body("application/x-www-form-urlencoded", []byte(values.Encode()))
}

// File is a file of a form.
type File struct {
	Field, Name string // of the form, and what the client calls the file
	Content     []byte
}

// Multipart sets the body to a multipart form.
func (r *Request) Multipart(values url.Values, files ...File) *Request {
	var body bytes.Buffer // takes all: nothing below fails
	form := multipart.NewWriter(&body)
	for name, all := range values {
		for _, value := range all {
			_ = form.WriteField(name, value)
		}
	}
	for _, f := range files {
		part, _ := form.CreateFormFile(f.Field, f.Name)
		_, _ = part.Write(f.Content)
	}
	_ = form.Close()
	return r.Body(form.FormDataContentType(), body.Bytes())
}

// Chunked sends the body in chunked coding.
func (r *Request) Chunked() *Request { r.chunked = true; return r }

// bytes writes the request out.
func (r *Request) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, r.target, r.client.host)
	b.Write(r.fields.Bytes())
	if cookies := r.cookies(); cookies != "" {
		fmt.Fprintf(&b, "Cookie: %s\r\n", cookies)
	}
	switch {
	case r.chunked:
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
		if len(r.body) > 0 {
			fmt.Fprintf(&b, "%x\r\n%s\r\n", len(r.body), r.body)
		}
		b.WriteString("0\r\n\r\n")
	case r.hasBody:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(r.body), r.body)
	default:
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// url is where cookies belong to. They are taken to go by TLS.
func (r *Request) url() *url.URL {
	path, _, _ := strings.Cut(r.target, "?")
	return &url.URL{Scheme: "https", Host: r.client.host, Path: path}
}

func (r *Request) cookies() string {
	if r.client.jar == nil {
		return ""
	}
	var all []string
	for _, cookie := range r.client.jar.Cookies(r.url()) {
		all = append(all, cookie.Name+"="+cookie.Value)
	}
	return strings.Join(all, "; ")
}

// Do sends the request and returns the complete response. It panics if the response is
// not HTTP/1.1, which is a fault of the server, or if the handler never ends the
// request.
func (r *Request) Do() *Response {
	var response bytes.Buffer
	err := r.client.app.ServeBytes(context.Background(), r.client.from, r.bytes(), &response)
	got := read(r.method, &response, err)
	if r.client.jar != nil {
		r.client.jar.SetCookies(r.url(), (&http.Response{Header: got.Header}).Cookies())
	}
	return got
}
