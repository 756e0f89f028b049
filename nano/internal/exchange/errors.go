package exchange

import (
	"context"
	"errors"
	"syscall"
)

// Package nano exports these under the same names.
var (
	ErrResponded          = errors.New("nano: the request has been responded to already")
	ErrServerClosed       = errors.New("nano: the app has been shut down")
	ErrDrainTimeout       = errors.New("nano: the app has shut down without waiting for the request any longer")
	ErrClientGone   error = clientGone{}
)

type clientGone struct{}

func (clientGone) Error() string { return "nano: the client has gone" }

func (clientGone) Is(target error) bool { return target == context.Canceled }

// ConnectionLost reports whether an error is that of a connection which the client
// has reset, or closed for good.
func ConnectionLost(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
