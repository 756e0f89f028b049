package secure

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
)

// Client is TLS with the endpoints of an upstream.
type Client struct {
	rules config.UpstreamTLS
	now   atomic.Pointer[tls.Config]

	mu          sync.Mutex
	pair        *pair // nil: endpoints are shown nothing
	authorities *authorities
}

// NewClient reads all files of rules, which may be nil; what can't be used is an error.
// [Client.Watch] checks them again.
func NewClient(rules *config.UpstreamTLS) (*Client, error) {
	c := &Client{}
	if rules != nil {
		c.rules = *rules
	}
	if c.rules.Cert != "" {
		c.pair = newPair(c.rules.Cert, c.rules.Key, time.Now)
		if c.pair.look(); c.pair.err != nil {
			return nil, c.pair.err
		}
	}
	c.authorities = newAuthorities(c.rules.CA)
	if c.authorities.look(); c.authorities.err != nil {
		return nil, fmt.Errorf("ca: %w", c.authorities.err)
	}
	c.make()
	return c, nil
}

// Watch polls the files until ctx ends.
func (c *Client) Watch(ctx context.Context) {
	if c.rules.CA == "" && c.pair == nil {
		return
	}
	watch(ctx, c.look)
}

func (c *Client) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := c.pair != nil && c.pair.look() && c.pair.err == nil
	if c.authorities.look() && c.authorities.err == nil || changed {
		c.make()
	}
}

// make makes the configuration of what there is.
func (c *Client) make() {
	t := &tls.Config{
		RootCAs: c.authorities.now, ServerName: c.rules.ServerName, InsecureSkipVerify: c.rules.Insecure,
		MinVersion: tls.VersionTLS12, NextProtos: UpstreamProtocols,
	}
	if c.pair != nil {
		pair := c.pair.now
		t.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair, nil }
	}
	c.now.Store(t)
}

// UpstreamProtocols are what is spoken over TLS with endpoints, the best first.
var UpstreamProtocols = []string{"h2", "http/1.1"}

// Config returns what the next handshake is done with. Its ServerName is empty where
// each endpoint is verified by its own.
func (c *Client) Config() *tls.Config { return c.now.Load() }

// Problem says what is wrong with the files as they are now; nil if nothing is.
func (c *Client) Problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.authorities.err
	if c.pair != nil {
		err = errors.Join(c.pair.err, err)
	}
	return err
}
