package engine

import (
	"bytes"
	"math"
	"net/http"
	"strconv"
	"time"

	"dyno.example/nano/wire/http2"
)

// Settings of the load's side of HTTP/2.
const (
	// openWindow is what servers may send, on a stream and on all of a connection:
	// what comes is read at once and kept nowhere, so that windows have nothing to
	// protect, and waiting for them would be the generator's fault.
	openWindow   = 1<<30 - 1
	fieldTable   = 4096 // of both sides' HPACK tables, in bytes; RFC 9113's default
	mostFields   = 1000 // of a response's head
	muxTick      = time.Second
	pingPatience = time.Second // for the response to a PING
	// mostTries is how often a request is retried whose stream the server has refused,
	// before it counts as failed.
	mostTries = 10
	// uploadTurn is how much of a body is written down at a time, in bytes.
	uploadTurn = 64 << 10
)

// clientConfig is how connections of the load speak HTTP/2.
func clientConfig() *http2.Config {
	return http2.NewConfig(http2.Config{
		Settings: http2.Settings{HeaderTable: fieldTable, InitialWindow: openWindow, MaxFrame: http2.MinMaxFrame, MaxHeaderList: 64 << 10, MaxConcurrent: 100},
		Window:   openWindow, Table: fieldTable,
		Limits: http2.Limits{
			HeaderFields: mostFields,
			// Servers are here to be measured: one that resets streams is no attack, and
			// a request that waits for a window has a time limit of its own.
			Resets: http2.Rate{Burst: math.MaxInt32, PerSecond: math.MaxInt32}, StallWait: 24 * time.Hour,
		},
	})
}

// message is a request as HTTP/2 needs it: views into its text, which is as HTTP/1.1
// has it (RFC 9112 2.1).
type message struct {
	method, path, authority []byte
	fields                  []messageField
	body                    []byte
}

type messageField struct {
	known       http2.Name // 0: it goes by its name
	name, value []byte
}

var lineEnd = []byte("\r\n")

// parse takes a request apart, which was rendered here: what could be wrong with it
// was found before. Its Host field becomes the authority (RFC 9113 8.3.1). It
// allocates nothing once msg has had as many fields.
func (msg *message) parse(text []byte) {
	line, text, _ := bytes.Cut(text, lineEnd)
	msg.fields = msg.fields[:0]
	msg.method, line, _ = bytes.Cut(line, space)
	msg.path = line[:max(bytes.LastIndexByte(line, ' '), 0)]
	msg.authority = nil
	for {
		line, text, _ = bytes.Cut(text, lineEnd)
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, colon)
		value = bytes.Trim(value, " \t")
		known := http2.NameOf(name)
		if known == http2.NameHost {
			msg.authority = value
			continue
		}
		msg.fields = append(msg.fields, messageField{known, name, value})
	}
	msg.body = text
}

// writeFields writes the message's head on a stream that was opened for it, but for its
// end.
func (msg *message) writeFields(wire *http2.Conn, stream *http2.Stream, secure bool) {
	scheme := schemeHTTP
	if secure {
		scheme = schemeHTTPS
	}
	wire.Request(stream, msg.method, scheme, msg.authority, msg.path)
	for i := range msg.fields {
		if f := &msg.fields[i]; f.known != 0 {
			wire.Known(f.known, f.value)
		} else {
			wire.Field(f.name, f.value)
		}
	}
}

var schemeHTTP, schemeHTTPS = []byte("http"), []byte("https")

var space, colon = []byte(" "), []byte(":")

// keepHead keeps the head of a response, as text.
func (x *exchange) keepHead(h *http2.Header) {
	x.copyText("HTTP/2 ")
	x.kept = strconv.AppendInt(x.kept, int64(h.Status), 10)
	x.copyText(" ")
	x.copyText(http.StatusText(h.Status))
	for i := range h.Fields {
		f := &h.Fields[i]
		x.copyText("\r\n")
		x.copy(f.Name.Of(h.Bytes))
		x.copyText(": ")
		x.copy(f.Value.Of(h.Bytes))
	}
	x.copyText("\r\n\r\n")
}

func (x *exchange) copyText(text string) {
	x.kept = append(x.kept, text[:min(len(text), x.limit()-len(x.kept))]...)
}
