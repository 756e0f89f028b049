package nano

import "errors"

// Causes of a request's context (context.Cause).
var (
	// ErrClientGone ends the context of a request whose client has closed its side
	// of the connection. Behind net/http the cause is context.Canceled.
	ErrClientGone = errors.New("nano: the client has gone")
	// ErrShutdown ends the contexts of requests that outlast Limits.Drain.
	ErrShutdown = errors.New("nano: the app shuts down")
)
