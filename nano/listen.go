package nano

import (
	"errors"
	"net"
	"sync"

	"dyno/nano/internal/exchange"
)

// ErrServerClosed is returned by Listen and Serve of an app that has been shut down.
var ErrServerClosed = exchange.ErrServerClosed

// Listen serves on an address such as "127.0.0.1:8080", "[::]:80" or
// "unix:/run/app.sock", until [App.Shutdown] has drained the app; then it returns
// nil. ":8080" listens on all addresses of the machine. It may be called for
// several addresses at once.
//
// A unix socket has the mode [Config.UnixMode]; one that an earlier process left
// behind is replaced, unless somebody listens on it. After [App.Restart] the
// socket is the old process'.
//
// On Linux the app runs its own event loops, each with a listening socket of its
// own. Elsewhere it is served by net/http.
func (a *App) Listen(address string) error {
	a.seal.close()
	if address == "unix:" {
		return errors.New("nano: listening on \"unix:\": the path of the socket is missing, as in unix:/run/app.sock")
	}
	return a.listen(address)
}

// Serve serves on a listener, as Listen does on an address. It takes the listener
// over. Listeners that aren't sockets are served by net/http with the same routes.
// Connections of crypto/tls listeners are, too, and don't count towards the limits:
// prefer [App.ServeTLS].
func (a *App) Serve(ln net.Listener) error {
	a.seal.close()
	a.listeners.Hold("", nil)
	return a.serveListener(ln)
}

// drainSignal tells responses without an end that the app shuts down.
type drainSignal struct {
	once  sync.Once
	begun chan struct{}
}

func (d *drainSignal) begin() { d.once.Do(func() { close(d.begun) }) }

// Draining is closed when the app begins to shut down. The request's context
// lasts for Limits.Drain longer: a response that goes on until its client has
// enough, as one of events does, should end now.
func (c Ctx) Draining() <-chan struct{} { return c.live().app.drains.begun }
