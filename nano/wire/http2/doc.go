// Package http2 is the HTTP/2 codec (RFC 9113) with HPACK (RFC 7541): pure functions
// and small state machines over bytes, for both roles. It does no I/O, reads no
// clock, starts no goroutine, and allocates nothing for a request once a connection
// is warm.
//
// # Layers
//
// Each is of use without those after it:
//
//   - frames: [ParseFrameHeader], [FrameHeader.Check] and a parser for each payload;
//     AppendX to write them (frame*.go, settings.go);
//   - HPACK: [Decoder] and [Encoder], over one dynamic table each that is a single
//     piece of memory (decoder.go, encoder*.go, table.go, huffman*.go, integer.go,
//     static_table.go); [Name] numbers the names that matter (names.go);
//   - messages: a [Header] is a section of fields, held to the rules of RFC 9113 8
//     (header*.go);
//   - a connection: [Conn] ties these together with flow control, the states of
//     streams, SETTINGS, PING, GOAWAY, and [Limits] against peers that cost too much
//     (conn*.go, output.go, stream.go, window.go, event.go, limits.go).
//
// # A connection
//
// Bytes that came go in, events come out; calls append to Conn.Out what is to be
// sent. Whoever owns the connection moves the bytes:
//
//	c.Start(config, pool, now)       // Out: preface, SETTINGS
//	for {
//		n, ev, err := c.Next(in, now)
//		in = in[n:]
//		if err != nil { send c.Out, which has the GOAWAY, and close }
//		switch ev.Kind {
//		case More: send c.Out, keep the rest of in, read more
//		...
//		}
//	}
//
// A body is handed on as it comes, a frame's other payload when all of it is in: at
// most 16 KiB and 9 bytes need to be kept between reads. In may be a buffer that
// connections share, and so may Out: it can be swapped between any two calls. Once
// everything in Out was taken by the socket, call [Conn.Flushed]. About once a second
// call [Conn.Tick].
//
// A config is shared by all connections of a kind, a [Pool] by those of one event
// loop. A connection that has just been opened takes about 1 KiB; its tables grow as
// they are used, up to 6 KiB each.
//
// # A server
//
// [EventHead] gives a request and its [Stream]. The request's fields are good until the
// next call of Next; a handler that goes on for longer needs a [Header.CopyTo] of them,
// or is left their memory by [Pool.Leave]. The response, now or later:
//
//	c.Response(s, 200)
//	c.Known(http2.NameContentType, []byte("text/plain"))
//	c.EndHeaders(false)
//	n := c.SendData(s, body, true)   // the rest on EventWritable
//	c.Release(s)                     // when nothing is left to do
//
// Every stream must be released, whatever becomes of it; until then it counts as one
// that is worked on, so that a peer which resets its streams can't have more of them
// worked on than SETTINGS_MAX_CONCURRENT_STREAMS (CVE-2023-44487, CVE-2025-8671).
// Releasing a stream that isn't at its end resets it. [EventData] counts against the
// windows until [Conn.Consume]: not calling it is how to slow a peer down.
// [EventReset] says that the client has gone away, or did what it must not.
//
// # A client
//
//	s, err := c.Open()               // if c.Room() > 0
//	s.User = whatever belongs to the request
//	c.Request(s, method, scheme, authority, path)
//	c.Field(name, value)
//	c.EndHeaders(true)
//
// Then come [EventInterim], EventHead, EventData and [EventTrailers], or EventReset,
// and the one with End set is the last. After [EventGoAway] streams that the server
// didn't process come as EventReset with RefusedStream: their requests may be sent
// again on another connection.
//
// # Strictness
//
// Fields are held to RFC 9110's grammar, and a violation ends its stream, or the
// connection where RFC 9113 says so. What is deprecated (priorities, RFC 9113 5.3)
// or not known is read and ignored, but counted.
package http2
