package nano

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/handoff"
)

// ErrServerClosed is returned by Listen and Serve of an app that has been shut down.
var ErrServerClosed = exchange.ErrServerClosed

// Listen serves on an address such as "127.0.0.1:8080", "[::]:80" or
// "unix:/run/app.sock", until [App.Shutdown] has drained the app; then it returns
// nil. ":8080" listens on all addresses of the machine. It may be called for
// several addresses at once.
//
// A unix socket has the mode [Config.UnixMode]; one that an earlier process left behind
// is replaced, unless a process listens on it. After [App.Restart] the socket is the
// old process'.
//
// On Linux the app runs its own event loops, each with a listening socket of its
// own. Elsewhere it is served by net/http. An address that another process listens on
// is an error (EADDRINUSE), unless [Config.ReusePort] is set.
func (a *App) Listen(address string) error {
	a.endRegistration()
	if address == "unix:" {
		return errors.New("nano: listening on \"unix:\": the path of the socket is missing, as in unix:/run/app.sock")
	}
	return a.listen(address, nil)
}

// Serve serves on a listener, as Listen does on an address. It takes the listener
// over. Listeners that aren't sockets are served by net/http with the same routes.
// Connections of crypto/tls listeners are, too, and don't count towards the limits:
// prefer [App.ServeTLS].
func (a *App) Serve(ln net.Listener) error {
	a.endRegistration()
	a.listeners.Hold("", nil)
	return a.serveListener(ln, nil)
}

// drainSignal ends responses without an end of their own when the app shuts down.
type drainSignal struct {
	once  sync.Once
	begun chan struct{}
}

func (d *drainSignal) begin() { d.once.Do(func() { close(d.begun) }) }

// Draining is closed when the app begins to shut down. The request's context
// lasts for Limits.Drain longer: a response that goes on until its client has
// enough, as one of events does, should end now.
func (c Ctx) Draining() <-chan struct{} { return c.live().app.drains.begun }

// Restart starts the program's file, as it is now, with the same arguments, and gives
// it the listening sockets of the app and of others in the same process. When the new
// process serves on all of them, this one stops accepting and shuts down. No connection
// is refused or dropped in between: the sockets and the queues behind them are the
// same.
//
// The new process must call [App.Listen] or [App.ListenTLS] with the same addresses. If
// it ends before that, or ctx does, it is stopped, this one goes on serving, and
// Restart returns an error. The listeners of [App.Serve] can't be handed over: they are
// the caller's, or systemd's, which keeps them itself.
func (a *App) Restart(ctx context.Context, others ...*App) error {
	apps := []*App{a}
	for _, other := range others {
		if !slices.Contains(apps, other) {
			apps = append(apps, other)
		}
	}
	var listeners []*handoff.Listeners
	for _, a := range apps {
		listeners = append(listeners, &a.listeners)
	}
	next, err := handoff.Start(listeners)
	if err != nil {
		return fmt.Errorf("nano: restart: %w", err)
	}
	if err := next.Wait(ctx); err != nil {
		return fmt.Errorf("nano: restart: %w", err)
	}
	_, _ = Notify("MAINPID=" + strconv.Itoa(next.PID()))
	var failures sync.WaitGroup
	errs := make([]error, len(apps))
	for i, a := range apps {
		a.listeners.Give()
		failures.Go(func() { errs[i] = a.Shutdown(ctx) })
	}
	failures.Wait()
	return errors.Join(errs...)
}

// inUse adds to the error what can be done about an address that another process
// listens on.
func inUse(err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	return fmt.Errorf("%w: another process or listener has it; Restart takes it over from the process before, Config.ReusePort shares it", err)
}

// Activated is a listening socket that systemd has opened.
type Activated struct {
	Name string // FileDescriptorName= of the socket unit; "" if it gave none
	net.Listener
}

// ActivationListeners returns the sockets of systemd's socket activation, in the order
// of the unit; none if the process wasn't started that way. The variables that name
// them are unset, so that neither a second call nor children see them. Give them to
// [App.Serve]: systemd keeps them open over restarts of its service.
func ActivationListeners() ([]Activated, error) {
	found, err := handoff.Activation()
	var listeners []Activated
	for _, a := range found {
		listeners = append(listeners, Activated{a.Name, a.Listener})
	}
	return listeners, err
}

// Notify sends systemd the service's state, such as "READY=1", "RELOADING=1",
// "STOPPING=1" (sd_notify(3)). sent is false if NOTIFY_SOCKET isn't set.
func Notify(state string) (sent bool, err error) { return handoff.Notify(state) }

// ListenTLS serves on an address with TLS, as [App.Listen] does without, and with
// HTTP/2 for clients that want it (ALPN). The certificate, with its chain, and
// its key are PEM files; they are read again when they have changed.
//
// On Linux the event loops serve, with handshakes on goroutines of their own; elsewhere
// net/http does, with the same routes.
func (a *App) ListenTLS(address, certFile, keyFile string) error {
	a.endRegistration()
	c, err := NewCertificate(certFile, keyFile)
	if err != nil {
		return err
	}
	c.failed = func(err error) { a.config.Logger.Error("the certificate stays the old one", "error", err) }
	return a.listen(address, offering(&tls.Config{GetCertificate: c.Get}))
}

// ServeTLS serves on a listener with TLS, as [App.Serve] does without. config
// needs a certificate, or GetCertificate; without NextProtos it offers HTTP/2 and
// HTTP/1.1. It is copied. Its functions are called on goroutines of their own, and
// may block for as long as Limits.Handshake allows. Listeners that aren't sockets, which are
// [net.TCPListener] and [net.UnixListener], are served by net/http.
func (a *App) ServeTLS(ln net.Listener, config *tls.Config) error {
	a.endRegistration()
	a.listeners.Hold("", nil)
	return a.serveListener(ln, offering(config))
}

// offering returns a copy of config that offers the protocols there are, if it offers none.
func offering(config *tls.Config) *tls.Config {
	config = config.Clone()
	if len(config.NextProtos) == 0 {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return config
}

// Certificate is a certificate and key in two files, for
// [crypto/tls.Config.GetCertificate]. New files are taken at the first handshake
// a second or more after the last look; if they can't be, the old ones stay.
type Certificate struct {
	certFile, keyFile string
	failed            func(error)

	mu     sync.Mutex
	pair   *tls.Certificate
	looked time.Time
	of     [2]stamp
}

// stamp identifies one version of a file.
type stamp struct {
	changed time.Time
	size    int64
}

// NewCertificate reads a certificate and its key.
func NewCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, looked: time.Now()}
	of, err := c.stamps()
	if err != nil {
		return nil, err
	}
	return c, c.load(of)
}

func (c *Certificate) stamps() (of [2]stamp, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return of, fmt.Errorf("nano: certificate: %w", err)
		}
		of[i] = stamp{info.ModTime(), info.Size()}
	}
	return of, nil
}

func (c *Certificate) load(of [2]stamp) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("nano: certificate %s with key %s: %w", c.certFile, c.keyFile, err)
	}
	c.pair, c.of = &pair, of
	return nil
}

// Get returns the certificate as it is now.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= time.Second {
		c.looked = now
		of, err := c.stamps()
		if err == nil && !slices.Equal(of[:], c.of[:]) {
			err = c.load(of)
		}
		if err != nil && c.failed != nil {
			c.failed(err)
		}
	}
	return c.pair, nil
}
