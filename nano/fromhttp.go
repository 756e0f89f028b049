package nano

import (
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/router"
	"dyno.example/nano/wire/http1"
)

// FromHTTP makes a handler of net/http one of nano. It gets what it gets from
// net/http's own server: an [http.ResponseWriter] with Flush, Hijack, ReadFrom,
// trailers, interim responses and all of [http.ResponseController], and a request
// that is a copy, so that it may keep strings of it. Content-Type is found from
// the content, and Content-Length set, where net/http does so.
//
// What middleware outside has set of the response is in the writer's Header.
func FromHTTP(h http.Handler) Handler {
	return func(c Ctx) error { return mounted(c, h, 0) }
}

// MountHTTP gives a handler of net/http all requests at prefix and below it. It
// sees paths without the prefix of the group and this one, as behind
// [http.StripPrefix], but "/" for the prefix itself. The prefix may hold
// parameters: [http.Request.PathValue] has them.
//
// A handler that has the prefix in its own patterns gets full paths with [KeepPrefix],
// and so does an [http.ServeMux] that has a pattern below the prefix already, as
// http.DefaultServeMux has when net/http/pprof is imported:
//
//	app.MountHTTP("/debug/pprof/", http.DefaultServeMux)
func (g *Group) MountHTTP(prefix string, h http.Handler, options ...Option) {
	whole := strings.TrimSuffix(g.prefix+prefix, "/")
	segments := strings.Count(whole, "/")
	if keepsPrefix(options) || hasPrefix(h, g.host, whole) {
		segments = 0
	}
	g.Mount(prefix, func(c Ctx) error { return mounted(c, h, segments) }, options...)
}

// KeepPrefix makes [Group.MountHTTP] leave paths as they are. It says nothing to
// other routes.
func KeepPrefix() Option { return keepPrefix{} }

type keepPrefix struct{}

func (keepPrefix) apply(*Route) {}

func keepsPrefix(options []Option) bool {
	return slices.Contains(options, Option(keepPrefix{}))
}

// hasPrefix reports whether h is a ServeMux with a pattern at the prefix or below
// it, and none for what would be left of its paths.
func hasPrefix(h http.Handler, host, prefix string) bool {
	mux, ok := h.(*http.ServeMux)
	if !ok || prefix == "" {
		return false
	}
	for _, method := range [...]string{"GET", "POST"} {
		for _, path := range [...]string{prefix + "/", prefix} {
			_, pattern := mux.Handler(&http.Request{Method: method, Host: host, URL: &url.URL{Path: path}})
			_, rest := router.CutMethod(pattern)
			if _, own := router.CutHost(rest); own == prefix || strings.HasPrefix(own, prefix+"/") {
				return true
			}
		}
	}
	return false
}

// mounted runs h without the first segments of the path.
func mounted(c Ctx, h http.Handler, segments int) error {
	b, err := newBridge(c)
	if err != nil {
		return NewProblem(400, "the request's target can't be read").Because(err)
	}
	defer b.leave()
	cutSegments(b.req.URL, segments)
	h.ServeHTTP(b, b.req)
	return b.finish()
}

// cutSegments takes the first n segments off a path.
func cutSegments(u *url.URL, n int) {
	if n == 0 {
		return
	}
	if u.RawPath == "" {
		u.Path = withoutSegments(u.Path, n)
		return
	}
	u.RawPath = withoutSegments(u.RawPath, n)
	if path, err := url.PathUnescape(u.RawPath); err == nil {
		u.Path = path
	}
}

func withoutSegments(path string, n int) string {
	for ; n > 0; n-- {
		i := strings.IndexByte(path[1:], '/')
		if i < 0 {
			return "/"
		}
		path = path[1+i:]
	}
	return path
}

// FromHTTPMiddleware makes middleware of net/http one of nano. The handlers inside it
// see the request as the middleware passes it on, with its context, and write the
// response through the middleware's writer. They have a Ctx of their own, so that
// middleware may return before they do, as [http.TimeoutHandler] does. Their panics
// become responses inside: the middleware sees a 500.
func FromHTTPMiddleware(mw func(http.Handler) http.Handler) Middleware {
	return func(next Handler) Handler {
		return FromHTTP(mw(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, ok := r.Context().Value(bridgeKey{}).(*bridge)
			if !ok {
				panic("nano: net/http middleware has replaced the request's context by one that isn't derived from it")
			}
			b.next(next, w, r)
		})))
	}
}

type bridgeKey struct{}

// next runs the handlers inside net/http middleware.
func (b *bridge) next(h Handler, w http.ResponseWriter, r *http.Request) {
	d := b.app.takeStd(w, r)
	defer b.app.giveStd(d)
	if !b.lend(d) {
		return // the middleware has responded, and its request is over
	}
	d.fromStd(r)
	d.limitStd()
	b.unsay(d.said, r)
	b.app.serve(d, h)
	b.takeBack(d)
	if d.through.aborted {
		panic(http.ErrAbortHandler)
	}
}

// lend gives d what the routing of the request has found.
func (b *bridge) lend(d *liveRequest) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return false
	}
	x := b.x
	d.Buf = append(d.Buf[:0], x.Buf...) // spans of the match refer to it
	scratch := append(d.match.Scratch[:0], x.match.Scratch...)
	d.match, d.marks, d.route = x.match, x.marks, x.route
	d.match.Scratch = scratch
	d.values = append(d.values[:0], x.values...)
	x.lendForwarded(d)
	return true
}

// unsay drops what the proxies said and the middleware knows better.
func (b *bridge) unsay(said *hop, r *http.Request) {
	if said == nil {
		return
	}
	if r.RemoteAddr != b.remote {
		said.client = netip.AddrPort{}
	}
	if r.Host != b.host {
		said.host = ""
	}
}

// takeBack keeps the values that were set inside.
func (b *bridge) takeBack(d *liveRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		b.x.values = append(b.x.values[:0], d.values...)
	}
}

// layFields makes the lines of the response's head from the header as it is now.
// Later changes of it are only for trailers.
func (b *bridge) layFields() {
	x := b.x
	_, b.typed = b.header["Content-Type"]
	b.typed = b.typed || b.header.Get("Content-Encoding") != "" || b.header.Get("Transfer-Encoding") != ""
	x.Fields = x.Fields[:0]
	eachField(b.header, func(name, value string) {
		switch {
		case name == "Content-Length", name == "Transfer-Encoding", strings.HasPrefix(name, http.TrailerPrefix):
			return
		case name == "Content-Type" && b.status == http.StatusNotModified:
			return
		case name == "Trailer":
			b.declareTrailers(value)
		}
		x.Fields = appendField(x.Fields, name, value)
	})
}

// declareTrailers notes the names of trailers that may be sent (RFC 9110 6.5.1).
func (b *bridge) declareTrailers(list string) {
	for name := range strings.SplitSeq(list, ",") {
		name = textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name))
		switch name {
		case "", "Transfer-Encoding", "Content-Length", "Trailer":
			continue
		}
		b.announced = append(b.announced, name)
	}
}

// trailerLines returns the trailers: those announced, and those with
// http.TrailerPrefix, which need not be.
func (b *bridge) trailerLines() (lines []byte) {
	for _, name := range b.announced {
		for _, v := range b.header[name] {
			lines = appendField(lines, name, v)
		}
	}
	eachField(b.header, func(name, value string) {
		if name, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			lines = appendField(lines, name, value)
		}
	})
	return lines
}

// eachField calls f for the fields of h, sorted by name.
func eachField(h http.Header, f func(name, value string)) {
	var few [16]string
	names := few[:0]
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range h[name] {
			f(name, v)
		}
	}
}

// eachLine calls f for lines of fields.
func eachLine(lines []byte, f func(name, value string)) {
	for len(lines) > 0 {
		line, end := exchange.CutLine(lines)
		if name, value, ok := strings.Cut(string(line), ":"); ok {
			f(name, strings.TrimLeft(value, " "))
		}
		lines = lines[end:]
	}
}

// appendField appends a field as net/http would send it: one with a wrong name is
// left out, and what must not be in a value becomes a space (RFC 9110 5.5).
func appendField(lines []byte, name, value string) []byte {
	if !http1.ValidToken(name) {
		return lines
	}
	value = textproto.TrimString(value)
	lines = append(append(lines, name...), ": "...)
	if http1.ValidFieldValue(value) {
		lines = append(lines, value...)
	} else {
		for i := range len(value) {
			c := value[i]
			if c < ' ' && c != '\t' || c == 0x7f {
				c = ' '
			}
			lines = append(lines, c)
		}
	}
	return append(lines, "\r\n"...)
}
