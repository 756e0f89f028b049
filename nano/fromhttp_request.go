package nano

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/router"
	"dyno.example/nano/wire/http1"
)

// fill makes the request. What handlers may keep is a copy of the read buffer.
func (b *bridge) fill() error {
	x := b.x
	if std := x.std; std != nil { // it came through net/http
		b.req = std.WithContext(&b.ctx)
		at := *std.URL
		b.req.URL = &at
		if b.req.ContentLength != 0 {
			b.req.Body = &b.body
		}
		return nil
	}
	r := (&b.request).WithContext(&b.ctx)
	b.req = r
	head := string(x.Buf)
	of := func(s http1.Span) string { return head[s.Start:s.End] }
	r.Method, r.RequestURI, r.Host = of(x.Req.Method), of(x.Req.Target), of(x.Req.Host)
	if h := x.forwarded(); h.host != "" {
		r.Host = h.host
	}
	r.Proto, r.ProtoMajor, r.ProtoMinor = x.proto(), 1, int(x.Req.Minor)
	if x.HTTP2 {
		r.ProtoMajor, r.ProtoMinor = 2, 0
	}
	r.TLS = x.TLS
	r.RemoteAddr = "@" // as net/http has it for a unix socket
	if a := b.c.RemoteAddr(); a.IsValid() {
		r.RemoteAddr = a.String()
	}
	b.fillHeader(r, of)
	b.fillBody(r)
	b.fillRoute(r)
	r.Close = http1.ListHas(x.field("Connection"), "close") || x.Req.Minor == 0 && !x.Req.KeepAlive
	return b.fillURL(r, of(x.Req.Path), of(x.Req.Query))
}

// proto is the version that a request has come with, unless net/http knows it.
func (x *liveRequest) proto() string {
	switch {
	case x.HTTP2:
		return "HTTP/2.0"
	case x.Req.Minor == 0:
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// fillHeader makes the Header, without the fields that net/http has elsewhere.
func (b *bridge) fillHeader(r *http.Request, of func(http1.Span) string) {
	fields := b.x.Req.Fields
	r.Header = make(http.Header, len(fields))
	values := make([]string, 0, len(fields))
	for _, f := range fields {
		name := textproto.CanonicalMIMEHeaderKey(of(f.Name))
		switch name {
		case "Host", "Transfer-Encoding":
			continue
		case "Trailer":
			announce(r, of(f.Value))
			continue
		}
		if have := r.Header[name]; have != nil {
			r.Header[name] = append(have, of(f.Value))
			continue
		}
		values = append(values, of(f.Value))
		r.Header[name] = values[len(values)-1 : len(values) : len(values)]
	}
}

// announce notes the names of trailers to come.
func announce(r *http.Request, list string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name)); name == "" {
			continue
		}
		if r.Trailer == nil {
			r.Trailer = make(http.Header)
		}
		r.Trailer[name] = nil
	}
}

func (b *bridge) fillBody(r *http.Request) {
	q := &b.x.Req
	switch {
	case q.Chunked:
		r.ContentLength, r.Body = -1, &b.body
		if !b.x.HTTP2 {
			r.TransferEncoding = []string{"chunked"}
		}
	case q.ContentLength > 0:
		r.ContentLength, r.Body = q.ContentLength, &b.body
	default:
		r.Body = http.NoBody
	}
}

func (b *bridge) fillRoute(r *http.Request) {
	route := b.x.route
	if route == nil {
		return
	}
	r.Pattern = route.String()
	for i, name := range route.parsed.Params {
		r.SetPathValue(name, string(b.x.value(i)))
	}
}

// fillURL does what url.ParseRequestURI does, without its costs where the path
// needs no second look.
func (b *bridge) fillURL(r *http.Request, path, query string) (err error) {
	target := r.RequestURI
	if r.Method == "CONNECT" && !strings.HasPrefix(target, "/") {
		if r.URL, err = url.ParseRequestURI("http://" + target); err == nil {
			r.URL.Scheme = ""
		}
		return err
	}
	if b.x.Req.Form != http1.OriginForm || !plainPath(path) {
		r.URL, err = url.ParseRequestURI(target)
		return err
	}
	b.url = url.URL{Path: path, RawQuery: query, ForceQuery: len(target) == len(path)+1}
	r.URL = &b.url
	return nil
}

// plainPath reports whether net/url would encode the path as it is.
func plainPath(path string) bool {
	for i := range len(path) {
		switch c := path[i]; c {
		case '!', '\'', '(', ')', '*':
			return false
		case '/':
		default:
			if !router.IsPathByte(c) {
				return false
			}
		}
	}
	return path != ""
}

// bridgeBody is the body of a bridge's request. A mounted proxy's transport may
// read it while its handler returns: then the lock makes the end of the request
// wait for the read, which is made to return.
type bridgeBody struct {
	b      *bridge
	mu     sync.Mutex
	closed bool
	ended  bool
}

func (r *bridgeBody) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return 0, http.ErrBodyReadAfterClose
	case r.ended:
		return 0, io.EOF
	}
	n, err := bodyReader{r.b.c}.Read(p)
	switch {
	case err == io.EOF:
		r.ended = true
		r.b.takeTrailers()
	case errors.Is(err, ErrBodyTooLarge):
		err = &http.MaxBytesError{Limit: r.b.x.BodyLimit()}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.ErrUnexpectedEOF // as handlers of net/http know it
	}
	return n, err
}

func (r *bridgeBody) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return nil
}

// takeTrailers puts the trailers of a body that has ended into the request.
func (b *bridge) takeTrailers() {
	w, ok := exchange.NetWireOf(b.x.Wire)
	if !ok {
		return
	}
	w.Trailers(&b.x.Exchange, func(name, value string) {
		if b.req.Trailer == nil {
			b.req.Trailer = make(http.Header)
		}
		b.req.Trailer.Add(name, value)
	})
}

// requestContext is the context of a mounted handler's request. The exchange's context
// costs a lock that all loops share, and few handlers use it: it is made at the first
// use. Any goroutine may use it, also when the request is over.
type requestContext struct {
	b    *bridge
	mu   sync.Mutex
	made context.Context
	over bool
}

func (r *requestContext) get() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made == nil {
		if r.over {
			return ended
		}
		r.made = r.b.x.context()
	}
	return r.made
}

// end is called before the exchange ends.
func (r *requestContext) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

func (r *requestContext) Deadline() (time.Time, bool) { return r.get().Deadline() }

func (r *requestContext) Done() <-chan struct{} { return r.get().Done() }

func (r *requestContext) Err() error { return r.get().Err() }

func (r *requestContext) Value(key any) any {
	switch key {
	case bridgeKey{}:
		return r.b
	case http.ServerContextKey:
		return r.b.app.std.get(r.b.app)
	case http.LocalAddrContextKey:
		return r.b.local()
	}
	r.mu.Lock()
	made := r.made
	r.mu.Unlock()
	if made == nil {
		return nil // a context that was never made has no values
	}
	return made.Value(key)
}

// ended is a context that is over.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
