package nano

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dyno/nano/internal/router"
	"dyno/nano/wire/http1"
)

// Target is what a request asks for, before it is routed: see [Config].Rewrite. It
// is valid in that function only.
type Target struct{ x *liveRequest }

// Method returns the request's method.
func (t *Target) Method() View { return View(t.x.Req.Method.Of(t.x.Buf)) }

// Path returns the path, still percent-encoded.
func (t *Target) Path() View { return View(t.x.path()) }

// RawQuery returns what follows "?", still encoded.
func (t *Target) RawQuery() View { return View(t.x.Req.Query.Of(t.x.Buf)) }

// Host returns the host and port that were asked for.
func (t *Target) Host() View { return View(t.x.Req.Host.Of(t.x.Buf)) }

// Header returns the first header field of the name, empty if there is none.
func (t *Target) Header(name string) View { return View(t.x.field(name)) }

// SetMethod makes the request one of another method. It panics if that is no method,
// or if one of the two is HEAD or CONNECT, which decide how a response is framed.
func (t *Target) SetMethod(method string) {
	for _, m := range [...]string{method, string(t.Method())} {
		if m == "HEAD" || m == "CONNECT" {
			panic("nano: the method of a request can't be changed from or to " + m + ", which is answered in another form")
		}
	}
	if !http1.ValidToken(method) {
		panic(fmt.Sprintf("nano: %q is not a method", method))
	}
	t.x.Req.Method = t.put(method)
}

// SetPath makes the request one for another path, which must begin with "/" and be
// percent-encoded as it would be on the wire. It panics if it can't be sent as a path.
// The query stays.
func (t *Target) SetPath(path string) {
	escaped, ok := sendablePath(path)
	if !ok {
		panic(fmt.Sprintf("nano: %q can't be the path of a request: it must begin with / and be percent-encoded", path))
	}
	t.x.Req.Escaped = escaped
	target := path
	query := bytes.Clone(t.x.Req.Query.Of(t.x.Buf))
	if bytes.IndexByte(t.x.Req.Target.Of(t.x.Buf), '?') >= 0 {
		target += "?" + string(query)
	}
	all := t.put(target)
	t.x.Req.Target = all
	t.x.Req.Path = http1.Span{Start: all.Start, End: all.Start + uint32(len(path))}
	if len(target) > len(path) {
		t.x.Req.Query = http1.Span{Start: all.Start + uint32(len(path)) + 1, End: all.End}
	}
}

// sendablePath reports whether a text can be the path of a request as it is (RFC 9112
// 3.2.1), and whether there are escapes in it.
func sendablePath(path string) (escaped, ok bool) {
	if !strings.HasPrefix(path, "/") {
		return false, false
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c <= ' ' || c >= 0x7f || c == '?' || c == '#':
			return false, false
		case c == '%':
			if i+2 >= len(path) || !router.IsHex(path[i+1]) || !router.IsHex(path[i+2]) {
				return false, false
			}
			escaped = true
		}
	}
	return escaped, true
}

// put keeps a text with the request. The buffer is copied, as what follows in it on a
// connection is not ours.
func (t *Target) put(text string) http1.Span {
	buf := append(slices.Clip(t.x.Buf), text...)
	t.x.Buf = buf
	return http1.Span{Start: uint32(len(buf) - len(text)), End: uint32(len(buf))}
}
