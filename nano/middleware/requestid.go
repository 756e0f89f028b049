package middleware

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"dyno.example/nano"
)

// RequestIDConfig is how [RequestID] works.
type RequestIDConfig struct {
	// Header is the field of the request and of the response; default X-Request-Id.
	Header string
	// Distrust makes an id for every request, whatever the client sent. Without it
	// clients choose the ids that logs show: fine behind a gateway, or to follow a
	// request through several services.
	Distrust bool
	// New makes an id. The default is a UUID of version 7 (RFC 9562 5.7): its first
	// 48 bits are the time in milliseconds, the rest is random.
	New func() string
}

// ID is the request's id, set by [RequestID].
var ID = nano.NewKey[string]("request id")

// maxID is the length up to which ids of clients are taken.
const maxID = 64

// RequestID gives every request an id: that of the client if it is of 1 to 64
// letters, digits and "-_.:+/=", else a new one. It is sent with the response.
func RequestID(config RequestIDConfig) nano.Middleware {
	header, make := config.Header, config.New
	if header == "" {
		header = "X-Request-Id"
	}
	mustSend("RequestIDConfig.Header", header, "")
	if make == nil {
		make = newUUID
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			var id string
			if sent := c.Header(header); !config.Distrust && safeID(sent) {
				id = sent.String()
			} else {
				id = make()
			}
			ID.Set(c, id)
			c.SetHeader(header, id)
			return next(c)
		}
	}
}

// safeID reports whether an id can go into logs and headers as it is.
func safeID(id []byte) bool {
	if len(id) == 0 || len(id) > maxID {
		return false
	}
	for _, b := range id {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		case b == '-', b == '_', b == '.', b == ':', b == '+', b == '/', b == '=':
		default:
			return false
		}
	}
	return true
}

// newUUID returns a UUID of version 7.
func newUUID() string {
	var u [16]byte
	rand.Read(u[6:]) // never fails
	ms := time.Now().UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[0:8], u[0:4])
	hex.Encode(s[9:13], u[4:6])
	hex.Encode(s[14:18], u[6:8])
	hex.Encode(s[19:23], u[8:10])
	hex.Encode(s[24:], u[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
