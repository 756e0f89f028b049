package http3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"dyno.example/internal/i18n"
)

// Fault is what an error of [Conn.Do] comes to.
type Fault uint8

const (
	Malformed Fault = iota // the response is not as HTTP/3 has it
	Reset                  // the server reset the request's stream
	Rejected               // it did so without having looked at it (RFC 9114 4.1.1)
	Violated               // the server broke the protocol, which ended the connection
	Ended                  // the connection has ended otherwise
)

// Explain says what an error of [Conn.Do] means.
func Explain(err error) (Fault, i18n.Message) {
	var (
		h3        *http3.Error
		app       *quic.ApplicationError
		transport *quic.TransportError
		idle      *quic.IdleTimeoutError
		stateless *quic.StatelessResetError
		stream    *quic.StreamError
	)
	switch {
	case errors.As(err, &idle):
		return Ended, i18n.New("http3.server-silent", "nothing comes from the server any more, not even acknowledgements")
	case errors.As(err, &stateless):
		return Ended, i18n.New("http3.stateless-reset", "the server knows nothing of the connection any more (stateless reset, RFC 9000 10.3)")
	case errors.As(err, &transport) && !transport.Remote:
		return Violated, i18n.New("http3.quic-violation", "the server broke QUIC: %s", transport.Error())
	case errors.As(err, &transport):
		return Ended, i18n.New("http3.connection-closed", "the server closed the connection: %s", transport.Error())
	case errors.As(err, &app) && !app.Remote:
		return Violated, i18n.New("http3.server-broke-http", "the server broke HTTP/3: %v %s", http3.ErrCode(app.ErrorCode), app.ErrorMessage)
	case errors.As(err, &app):
		return Ended, i18n.New("http3.closed-with-code", "the server closed the connection: %v %s", http3.ErrCode(app.ErrorCode), app.ErrorMessage)
	case errors.As(err, &stream):
		return ofStream(http3.ErrCode(stream.ErrorCode), stream.Remote, err)
	case errors.As(err, &h3):
		return ofStream(h3.ErrorCode, h3.Remote, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Malformed, i18n.New("http3.response-too-short", "the response is shorter than it says (RFC 9114 4.1.2)")
	}
	return Malformed, i18n.From(err)
}

func ofStream(code http3.ErrCode, remote bool, err error) (Fault, i18n.Message) {
	switch {
	case !remote:
		return Malformed, i18n.New("http3.response-malformed", "the response breaks HTTP/3: %s", err.Error())
	case code == http3.ErrCodeRequestRejected:
		return Rejected, i18n.New("http3.request-rejected", "the server rejected the request without looking at it (H3_REQUEST_REJECTED, RFC 9114 4.1.1)")
	}
	return Reset, i18n.New("engine.stream-reset", "the server reset the stream: %s", code.String())
}

// explainDial adds what can be done about a connection that did not come up.
func explainDial(ctx context.Context, err error) error {
	var idle *quic.IdleTimeoutError
	var shake *quic.HandshakeTimeoutError
	var transport *quic.TransportError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.As(err, &verify):
		return fmt.Errorf("TLS handshake: %w", verify)
	case errors.As(err, &idle), errors.As(err, &shake), ctx.Err() != nil:
		return &silentError{err}
	case errors.As(err, &transport) && transport.ErrorCode.IsCryptoError() && strings.Contains(transport.Error(), "no application protocol"):
		return fmt.Errorf("the server speaks QUIC but not HTTP/3 there (ALPN h3, RFC 9114 3.1): %w", err)
	}
	return err
}

// silentError is that the peer didn't respond; it counts as a time-out.
type silentError struct{ err error }

func (e *silentError) Error() string {
	return "no QUIC server responded: does it speak HTTP/3 on this UDP port? (" + e.err.Error() + ")"
}
func (e *silentError) Unwrap() error   { return e.err }
func (e *silentError) Timeout() bool   { return true }
func (e *silentError) Temporary() bool { return true }
