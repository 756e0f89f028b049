package load

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"dyno/lab/load/expect"
)

// wireRequest is what the engines know of one request of the mix. It is
// read-only and shared by all connections of a loop.
type wireRequest struct {
	name     string
	constant []byte // as it goes over the wire
	isHead   bool
	wants    wants
	statuses expect.Statuses
	expect   *expect.Expect // nil: only the status is judged
}

// wants says how much of an answer must be kept until it is judged.
type wants uint8

const (
	wantsNothing wants = iota // the status alone is judged
	wantsHead
	wantsBody
)

// ok reports whether status is what the request expects.
func (r *wireRequest) ok(status int) bool { return r.statuses.Has(status) }

// compile readies r to be sent to host.
func compile(r Request, host string) (wireRequest, error) {
	lines := r.Expect
	if r.Status != 0 {
		lines = append([]string{"status " + strconv.Itoa(r.Status)}, lines...)
	}
	e, err := expect.Parse(lines)
	if err != nil {
		return wireRequest{}, err
	}
	w := wireRequest{name: r.Name, constant: render(r, host), isHead: r.Method == "HEAD", statuses: e.Statuses()}
	switch e.Needs() {
	case expect.Head:
		w.expect, w.wants = e, wantsHead
	case expect.Body:
		w.expect, w.wants = e, wantsBody
	}
	return w, nil
}

// render writes r as it goes over the wire to host. Host, and for a body
// Content-Length, are added unless given.
func render(r Request, host string) []byte {
	var b strings.Builder
	method := r.Method
	if method == "" {
		method = "GET"
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, r.Path)
	var hasHost, hasLength bool
	for _, h := range r.Headers {
		hasHost = hasHost || strings.EqualFold(h.Name, "Host")
		hasLength = hasLength || strings.EqualFold(h.Name, "Content-Length")
	}
	if !hasHost {
		b.WriteString("Host: " + host + "\r\n")
	}
	for _, h := range r.Headers {
		b.WriteString(h.Name + ": " + h.Value + "\r\n")
	}
	if !hasLength && (r.Body != "" || method == "POST" || method == "PUT" || method == "PATCH") {
		b.WriteString("Content-Length: " + strconv.Itoa(len(r.Body)) + "\r\n")
	}
	b.WriteString("\r\n" + r.Body)
	return []byte(b.String())
}

// Check reports what is wrong with the request, or nil.
func (r *Request) Check() error {
	if !strings.HasPrefix(r.Path, "/") && r.Path != "*" {
		return fmt.Errorf("path %q must start with \"/\"", r.Path)
	}
	if strings.ContainsFunc(r.Path, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return fmt.Errorf("path %q holds white space or a control character; write it as %%20 or the like", r.Path)
	}
	if r.Method != "" && !isToken(r.Method) {
		return fmt.Errorf("method %q is not an HTTP method", r.Method)
	}
	if r.Method == "CONNECT" {
		return fmt.Errorf("method CONNECT opens a tunnel and can't be measured as a request")
	}
	for _, h := range r.Headers {
		if !isToken(h.Name) {
			return fmt.Errorf("header name %q is not valid", h.Name)
		}
		if strings.ContainsFunc(h.Value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			return fmt.Errorf("value of header %s holds a control character", h.Name)
		}
	}
	if r.Weight < 0 {
		return fmt.Errorf("weight %d is negative", r.Weight)
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return fmt.Errorf("expected status %d is not between 200 and 599", r.Status)
	}
	_, err := expect.Parse(r.Expect)
	return err
}

func isToken(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		return !alnum && !strings.ContainsRune(marks, c)
	})
}

// statusText describes an unexpected status in an error.
func statusText(status int) string {
	return fmt.Sprintf("status %d %s", status, http.StatusText(status))
}

// parseTarget splits a target into what is dialled and what is sent as Host.
func parseTarget(target string) (u *url.URL, dial string, err error) {
	u, err = url.Parse(target)
	if err != nil {
		return nil, "", fmt.Errorf("target %q is not a URL: %w", target, err)
	}
	port := u.Port()
	switch {
	case u.Hostname() == "":
		return nil, "", fmt.Errorf("target %q names no host; write it as http://host:port/path", target)
	case u.Scheme == "http" && port == "":
		port = "80"
	case u.Scheme == "https" && port == "":
		port = "443"
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "", fmt.Errorf("target %q: scheme %q can't be loaded, only http and https", target, u.Scheme)
	}
	return u, joinHostPort(u.Hostname(), port), nil
}

func joinHostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
