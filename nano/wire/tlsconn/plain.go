package tlsconn

import (
	"crypto/tls"
	"errors"
)

// LacksTLS reports whether a handshake failed because the client sent a request of HTTP
// without TLS. It can get a plain response.
func LacksTLS(err error) bool {
	var no tls.RecordHeaderError
	if !errors.As(err, &no) || no.Conn == nil { // nil: TLS has already said something
		return false
	}
	for _, c := range no.RecordHeader {
		if c == ' ' {
			break // after a short method
		}
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// DetailLacksTLS is what such a client is told.
const DetailLacksTLS = "the request came without TLS, and this port serves HTTPS only"
