package http2

// EventKind says what happened.
type EventKind uint8

const (
	// More: all that could be read was read; call again with more bytes.
	More EventKind = iota
	// EventHead: a request's head (server) or the head of a response (client) is
	// in Header. A server's Stream is new, and must be given to Release some time.
	EventHead
	// EventTooLarge is as EventHead, but the head is larger than the limits: there is
	// no Header. A server can respond with 431; a client's stream was reset.
	EventTooLarge
	// EventInterim: a response of status 1xx is in Header; the head is to come.
	EventInterim
	// EventData: Data is a part of the body, good until the next call. Its bytes
	// count against the windows until Consume.
	EventData
	// EventTrailers: fields after the body are in Header.
	EventTrailers
	// EventReset: the stream is closed before its end, for the reason in Code:
	// by the peer or, Err telling why, by this side for a violation of the peer's.
	EventReset
	// EventWritable: SendData, that took less than it was given, may be tried again.
	EventWritable
	// EventSettings: the peer has changed its settings.
	EventSettings
	// EventPong: the peer has acknowledged the Ping with the eight bytes in Data.
	EventPong
	// EventGoAway: the peer takes no more streams, and has ended the connection if Code
	// is not NoError. Those it didn't process follow as EventReset with RefusedStream.
	// Data is its debug data.
	EventGoAway
)

// Event is what Next found. It is the pool's, and good until the next call.
type Event struct {
	Kind   EventKind
	End    bool // the peer has ended its side of the stream
	Code   ErrCode
	Stream *Stream
	Header *Header // good until the next call
	Data   []byte
	Err    *Error
}
