package nano

import (
	"context"
	"errors"
	"io"
	"syscall"
)

// Causes of a request's context (context.Cause).
var (
	// ErrClientGone ends the context of a request whose client has closed its side
	// of the connection, and is behind the error of a body that the client didn't
	// send to its end. It matches context.Canceled, so that what is put out by a
	// client that hangs up isn't taken for a failure of the service. Behind net/http
	// the cause is context.Canceled itself.
	ErrClientGone error = clientGone{}
	// ErrShutdown ends the contexts of requests that outlast Limits.Drain.
	ErrShutdown = errors.New("nano: the app shuts down")
)

type clientGone struct{}

func (clientGone) Error() string { return "nano: the client has gone" }

func (clientGone) Is(target error) bool { return target == context.Canceled }

// errBodyCut is why a body can't be read to its end.
var errBodyCut = errors.Join(ErrClientGone, io.ErrUnexpectedEOF)

// bodyCut is a body that the client didn't send to its end: 400, for a client
// that may still be reading.
func bodyCut(err error) error {
	return NewProblem(400, "the request's body ended early").Because(errors.Join(errBodyCut, err))
}

// connectionLost reports whether an error is that of a connection which the client
// has reset, or closed for good.
func connectionLost(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
