package request

import (
	"net/netip"
	"slices"
	"time"

	"dyno.example/internal/i18n"
)

// Reuse says how requests and connections belong together.
type Reuse string

const (
	// PerWorker gives each of the load's workers a connection of its own, kept for
	// as long as the server lets it. Open loops go round all of them. The default.
	PerWorker Reuse = "per-worker"
	// Shared keeps a pool: a request takes the connection used last among those
	// that are free, and a further one is opened only when none is. It is what
	// most HTTP clients do.
	Shared Reuse = "shared"
	// NoReuse opens a connection for each request. Connecting is part of the
	// response time.
	NoReuse Reuse = "none"
)

// Link is how the load connects to its target. The zero value keeps connections
// and leaves the kernel's defaults, but for Nagle's algorithm, which is off.
type Link struct {
	Reuse         Reuse         `json:"reuse,omitempty"`
	PerConnection int           `json:"per_connection,omitempty"` // requests on a connection before a new one takes its place; 0: no limit
	MaxAge        time.Duration `json:"max_age,omitempty"`        // of a connection, ns; 0: no limit
	Sources       []netip.Addr  `json:"sources,omitempty"`        // local addresses, used in turn: each has its own 64k ports
	Unix          string        `json:"unix,omitempty"`           // path of a socket to connect to instead of the target's host
	FastOpen      bool          `json:"fast_open,omitempty"`      // TCP Fast Open (RFC 7413): the request travels in the SYN where the server gave a cookie
	Nagle         bool          `json:"nagle,omitempty"`          // leave delayed sending on (no TCP_NODELAY)
	QuickAck      bool          `json:"quick_ack,omitempty"`      // acknowledge at once (TCP_QUICKACK), no delayed ACKs

	// ReadRate makes the clients slow: each connection is read at so many bytes a second at most,
	// out of a small receive buffer, so that what it doesn't take stays with the server. 0: at once.
	ReadRate int64 `json:"read_rate,omitempty"`

	// Streams makes the load speak HTTP/2, with up to so many requests under way on each
	// connection: over TLS by ALPN, else by prior knowledge (RFC 9113 3). 0: HTTP/1.1.
	Streams int `json:"streams,omitempty"`
	// HTTP3 makes it HTTP/3 (RFC 9114), over QUIC, instead of HTTP/2. It needs Streams.
	HTTP3 bool `json:"http3,omitempty"`

	WebSocket *WebSocket `json:"websocket,omitempty"` // messages over WebSockets; nil: none
	Events    *Events    `json:"events,omitempty"`    // server-sent events are listened to; nil: none
}

// Bounds of [Link.ReadRate], bytes a second.
const (
	LeastReadRate = 1 << 10
	MostReadRate  = 1 << 30
)

// MostStreams bounds [Link.Streams].
const MostStreams = 10_000

// Protocol is what is spoken on the connections, by its ALPN name.
func (k *Link) Protocol() string {
	switch {
	case k.HTTP3:
		return HTTP3
	case k.Streams > 0:
		return HTTP2
	}
	return HTTP1
}

// Version is what is spoken on the connections, as people write it.
func (k *Link) Version() string {
	switch k.Protocol() {
	case HTTP3:
		return "HTTP/3"
	case HTTP2:
		return "HTTP/2"
	}
	return "HTTP/1.1"
}

// Places is how many requests can be under way at a time on so many connections: the
// users of a closed loop.
func (k *Link) Places(connections int) int { return connections * max(1, k.Streams) }

// Listens reports whether the load waits for what the server sends on its own: it has no
// requests with responses.
func (k *Link) Listens() bool { return k.Events != nil || k.WebSocket != nil && k.WebSocket.Pushes() }

// checkMessages reports what is wrong with WebSockets and events, or nil.
func (k *Link) checkMessages() error {
	what := i18n.New("request.of-events", "server-sent events are")
	switch {
	case k.WebSocket == nil && k.Events == nil:
		return nil
	case k.WebSocket != nil && k.Events != nil:
		return i18n.Errorf("request.websockets-and-events", "a load is of WebSockets or of server-sent events, not of both")
	case k.WebSocket != nil:
		what = i18n.New("request.websockets-are", "WebSockets are")
	}
	if k.Streams > 0 {
		return i18n.Errorf("request.only-over-http11", "%s measured over HTTP/1.1 only; leave HTTP/2 and its streams out", what)
	}
	if k.Listens() && (k.PerConnection > 0 || k.MaxAge > 0 || k.Reuse == NoReuse || k.Reuse == Shared) {
		return i18n.Errorf("request.listening-keeps-connection", "connections that only listen are held open: reuse and max age are for requests")
	}
	if k.WebSocket != nil {
		return k.WebSocket.check()
	}
	return k.Events.check()
}

// Churns reports whether connections are given up before the load ends.
func (k *Link) Churns() bool {
	return k.Reuse == NoReuse || k.PerConnection > 0 || k.MaxAge > 0
}

// Check reports what is wrong with the link, or nil.
func (k *Link) Check() error {
	switch k.Reuse {
	case "", PerWorker, Shared, NoReuse:
	default:
		return i18n.Errorf("request.unknown-reuse", "reuse %q is none of %q, %q and %q", k.Reuse, PerWorker, Shared, NoReuse)
	}
	if k.PerConnection < 0 {
		return i18n.Errorf("request.negative-per-connection", "requests per connection must not be negative, not %d", k.PerConnection)
	}
	if k.Streams < 0 || k.Streams > MostStreams {
		return i18n.Errorf("request.bad-streams", "streams of a connection must be from 1 to %d, not %d", MostStreams, k.Streams)
	}
	if err := k.checkMessages(); err != nil {
		return err
	}
	if k.HTTP3 && k.Streams == 0 {
		return i18n.Errorf("request.http3-needs-stream", "over HTTP/3 a connection has at least one stream")
	}
	if k.HTTP3 && (k.Unix != "" || k.FastOpen || k.Nagle || k.QuickAck) {
		return i18n.Errorf("request.http3-no-tcp-options", "HTTP/3 runs over UDP (QUIC, RFC 9000): there is no unix socket, TCP Fast Open, Nagle's algorithm or quick ACK to choose")
	}
	if k.ReadRate != 0 && (k.ReadRate < LeastReadRate || k.ReadRate > MostReadRate) {
		return i18n.Errorf("request.bad-read-rate", "a connection is read at %d to %d bytes a second, not %d", LeastReadRate, MostReadRate, k.ReadRate)
	}
	if k.MaxAge < 0 {
		return i18n.Errorf("request.negative-max-age", "the age of connections must not be negative, not %v", k.MaxAge)
	}
	if k.Unix != "" && (len(k.Sources) > 0 || k.FastOpen || k.QuickAck) {
		return i18n.Errorf("request.unix-without-tcp", "a unix socket (%s) has no source address, TCP Fast Open or quick ACKs", k.Unix)
	}
	const longest = 107 // sun_path less its end
	if len(k.Unix) > longest {
		return i18n.Errorf("request.unix-path-too-long", "unix socket %q: the path is longer than %d bytes", k.Unix, longest)
	}
	return nil
}

// Closing returns the requests that ask for the connection to be closed after the
// response (RFC 9112 9.6), so that it is the server that closes first.
func Closing(requests []Request) []Request {
	out := slices.Clone(requests)
	for i := range out {
		if r := &out[i]; !r.has("Connection") {
			r.Headers = append(slices.Clone(r.Headers), Header{"Connection", "close"})
		}
	}
	return out
}
