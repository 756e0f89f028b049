package websocket

import (
	"crypto/sha1"
	"encoding/base64"
)

// Lengths of the handshake's keys, in bytes as they are sent.
const (
	KeyLength    = 24
	AcceptLength = 28
)

// Key is what a client sends as Sec-WebSocket-Key: base64 of sixteen random bytes (RFC
// 6455 4.1).
func Key(random [16]byte) (key [KeyLength]byte) {
	base64.StdEncoding.Encode(key[:], random[:])
	return key
}

// Accept is the Sec-WebSocket-Accept of a server's response to a key (RFC 6455 4.2.2).
func Accept(key []byte) (accept [AcceptLength]byte) {
	const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	h := sha1.New()
	h.Write(key)
	h.Write([]byte(guid))
	var sum [sha1.Size]byte
	base64.StdEncoding.Encode(accept[:], h.Sum(sum[:0]))
	return accept
}
