package request

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"dyno.example/dyno/load/expect"
	"dyno.example/dyno/load/template"
)

// Compiled is what the engines know of one request of the mix. It is
// read-only and shared by all loops.
type Compiled struct {
	Name         string
	Place        int // in the mix
	IsHead       bool
	KeepsCookies bool
	Keeps        Keep
	statuses     expect.Statuses
	Expect       *expect.Expect

	Call *Call // nil unless it is a call over gRPC

	Constant []byte // as it goes over the wire, in text; nil if it must be rendered
	Uses     template.Uses
	head     *template.Template // up to the fields that follow
	basic    *template.Template // user and password, nil if none
	cookies  *template.Template // as in the field, nil if none
	body     *template.Template
	sized    bool // Content-Length is sent
	bare     bool // a message, which is its body and nothing else
}

// Keep says how much of a response must be kept until it is judged.
type Keep uint8

const (
	KeepNothing Keep = iota // only the status is judged
	KeepHead
	KeepBody
)

// Expects reports whether status is what the request expects.
func (r *Compiled) Expects(status int) bool { return r.statuses.Has(status) }

// StatusText describes an unexpected status in an error.
func StatusText(status int) string {
	return strings.TrimRight(fmt.Sprintf("status %d %s", status, http.StatusText(status)), " ")
}

// Compile readies a request, which was checked, to be sent to host. protocol is what
// its first line ends in: a request over HTTP/2 is written down as one in text, and
// made into fields when it is sent.
func Compile(r *Request, host, protocol string, env *template.Env) (*Compiled, error) {
	e, err := r.Expectations()
	if err != nil {
		return nil, err
	}
	w := &Compiled{Name: r.Name, IsHead: r.Method == "HEAD", KeepsCookies: r.Jar, statuses: e.Statuses(), Expect: e}
	switch {
	case e.Needs() == expect.Body:
		w.Keeps = KeepBody
	case e.Needs() == expect.Head || r.Jar:
		w.Keeps = KeepHead
	}
	if r.GRPC != nil {
		if w.Call, err = compileCall(r, e, env); err != nil {
			return nil, err
		}
	}
	framed := r.GRPC != nil || r.has("Content-Length") || r.has("Transfer-Encoding") // never both (RFC 9112 6.2)
	w.sized = !framed && (r.Body != "" || r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH")
	if err := w.templates(r, host, protocol, env); err != nil {
		return nil, err
	}
	if w.isConstant() {
		w.Constant, _ = w.Append(nil, nil, env.NewState(0, 0, 1), nil)
	}
	return w, nil
}

// templates compiles the parts of the request.
func (w *Compiled) templates(r *Request, host, protocol string, env *template.Env) (err error) {
	scheme, secret := "", ""
	if r.Auth != "" {
		if scheme, secret, err = r.credentials(); err != nil {
			return err
		}
	}
	head := headText(r, host, protocol)
	if scheme == "bearer" {
		head += "Authorization: Bearer " + secret + "\r\n"
	}
	compile := func(text string) *template.Template {
		t, problem := template.Compile(text, env)
		if problem != nil {
			err = problem
			return &template.Template{}
		}
		w.Uses = w.Uses.Or(t.Uses())
		return t
	}
	w.head, w.body = compile(head), compile("")
	if w.Call == nil {
		w.body = compile(r.Body)
	} else {
		w.Uses = w.Uses.Or(w.Call.Uses)
	}
	if scheme == "basic" {
		w.basic = compile(secret)
	}
	if len(r.Cookies) > 0 {
		w.cookies = compile(cookieText(r.Cookies))
	}
	return err
}

// headText returns the request line and the given header fields. Host is added
// unless given.
func headText(r *Request, host, protocol string) string {
	var b strings.Builder
	method := r.Method
	if method == "" {
		method = "GET"
	}
	fmt.Fprintf(&b, "%s %s %s\r\n", method, r.Path, protocol)
	if !r.has("Host") {
		b.WriteString("Host: " + host + "\r\n")
	}
	if r.GRPC != nil {
		b.WriteString(r.GRPC.head())
	}
	for _, h := range r.Headers {
		b.WriteString(h.Name + ": " + h.Value + "\r\n")
	}
	return b.String()
}

func cookieText(cookies []Header) string {
	var pairs []string
	for _, c := range cookies {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}

// isConstant reports whether every rendering gives the same bytes.
func (w *Compiled) isConstant() bool {
	if w.KeepsCookies || w.Call != nil && w.Call.Constant == nil {
		return false
	}
	for _, t := range []*template.Template{w.head, w.body, w.basic, w.cookies} {
		if t == nil {
			continue
		}
		if _, ok := t.Constant(); !ok {
			return false
		}
	}
	return true
}

// Append renders the request into dst. The body is rendered first, into
// scratch, because its length goes before it. Both are returned, grown if they
// were too small.
func (w *Compiled) Append(dst, scratch []byte, s *template.State, jar *Jar) (wire, used []byte) {
	if w.bare {
		return w.body.Append(dst, s), scratch
	}
	dst = w.head.Append(dst, s)
	if w.basic != nil {
		scratch = w.basic.Append(scratch[:0], s)
		dst = append(dst, "Authorization: Basic "...)
		dst = base64.StdEncoding.AppendEncode(dst, scratch)
		dst = append(dst, "\r\n"...)
	}
	dst = w.appendCookies(dst, s, jar)
	if w.Call != nil {
		return w.Call.AppendMessage(append(dst, "\r\n"...), scratch, s)
	}
	scratch = w.body.Append(scratch[:0], s)
	if w.sized {
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, int64(len(scratch)), 10)
		dst = append(dst, "\r\n"...)
	}
	dst = append(dst, "\r\n"...)
	return append(dst, scratch...), scratch
}

func (w *Compiled) appendCookies(dst []byte, s *template.State, jar *Jar) []byte {
	if w.cookies == nil && jar.empty() {
		return dst
	}
	const name, separator, end = "Cookie: ", "; ", "\r\n"
	start := len(dst)
	path := PathOf(dst)
	dst = append(dst, name...)
	if w.cookies != nil {
		dst = append(w.cookies.Append(dst, s), separator...)
	}
	dst = jar.append(dst, path)
	if len(dst) == start+len(name) {
		return dst[:start] // no cookie is for this path
	}
	return append(dst[:len(dst)-len(separator)], end...)
}
