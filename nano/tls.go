package nano

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// ListenTLS serves on an address with TLS, as [App.Listen] does without, and with
// HTTP/2 for clients that want it (ALPN). The certificate, with its chain, and
// its key are PEM files; they are read again when they have changed.
//
// On Linux HTTP/1.1 is served by the event loops once the handshake is done; HTTP/2,
// and everything elsewhere, by net/http with the same routes.
func (a *App) ListenTLS(address, certFile, keyFile string) error {
	a.seal.close()
	c, err := NewCertificate(certFile, keyFile)
	if err != nil {
		return err
	}
	c.failed = func(err error) { a.config.Logger.Error("the certificate stays the old one", "error", err) }
	return a.listenStd(address, &tls.Config{GetCertificate: c.Get})
}

// ServeTLS serves on a listener with TLS, as [App.Serve] does without. config
// needs a certificate, or GetCertificate; without NextProtos it offers HTTP/2 and
// HTTP/1.1. It is copied. Its functions are called on goroutines of their own, and
// may block for as long as Limits.Handshake allows. Listeners whose connections are
// neither TCP's nor unix sockets are served by net/http.
func (a *App) ServeTLS(ln net.Listener, config *tls.Config) error {
	a.seal.close()
	a.listeners.Hold("", nil)
	return a.serveTLS(ln, config)
}

func (a *App) serveTLS(ln net.Listener, config *tls.Config) error {
	config = config.Clone()
	if len(config.NextProtos) == 0 {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return a.std.serve(a, ln, config)
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

// stamp tells one version of a file from the next.
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
