// Package oidc logs users in at an identity provider: the authorization code flow of
// OpenID Connect with PKCE (OpenID Connect Core 1.0, 3.1; RFC 6749; RFC 7636; RFC 9700),
// and keeps their sessions encrypted in cookies. It knows no event loops: requests to
// the provider block, and are for goroutines beside the loops.
package oidc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lib "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/refresh"
	"dyno.example/nanogate/internal/secure"
)

// Client is a gateway as a provider knows it. It is for many goroutines, and shared by the
// routes that have the same ([Clients]).
type Client struct {
	Cookies Cookies

	rules    config.OIDCClient
	purpose  string // of what is encrypted: for this client of this provider only
	keys     *refresh.Source[Keys]
	secret   *refresh.Source[string] // nil: it has none (RFC 6749 2.1)
	provider *refresh.Source[Provider]
	last     *Provider // that was read; of the goroutine that reads
	logouts  *logouts  // which outlive it
	board    LogoutBus // nil: there are no other gateways
	start    func()
	access   atomic.Bool // a guard needs access tokens
	asks     *secure.Transport
	http     *http.Client // by transport
	now      func() time.Time
	renewals renewals

	shared *Clients
	routes int // that share it; of shared
}

// providerTimeout is how long the provider may take for one response.
const providerTimeout = 10 * time.Second

// newClient makes a client. A file that can't be used is an error. There are no requests to
// the provider before [Client.Start].
func newClient(rules *config.OIDC, now func() time.Time) (c *Client, err error) {
	c = &Client{
		Cookies: newCookies(rules.Cookie, rules.Insecure), rules: rules.OIDCClient, now: now,
		purpose: rules.Issuer + "\x00" + rules.ID + "\x00", renewals: renewals{young: map[renewalKey]*Renewal{}},
	}
	if c.asks, err = secure.NewTransport(rules.TLS, rules.TLSAt); err != nil {
		return nil, err
	}
	c.http = newHTTP(c.asks)
	c.start = sync.OnceFunc(c.begin)
	c.provider = refresh.URL(wellKnown(rules.Issuer), rules.Refresh, c.asks, c.parseProvider)
	if c.keys, err = refresh.File(rules.Keys, ParseKeys); err != nil {
		c.end()
		return nil, fmt.Errorf("keys: %w", err)
	}
	if rules.Secret != "" {
		if c.secret, err = ReadSecret(rules.Secret); err != nil {
			c.end()
			return nil, fmt.Errorf("client-secret: %w", err)
		}
	}
	return c, nil
}

// Start begins to fetch the provider's metadata and to follow logouts, at the first call.
func (c *Client) Start() { c.start() }

func (c *Client) begin() {
	c.provider.Start()
	if c.board != nil {
		go c.board.Follow(c.hear)
	}
}

// ReadSecret begins to read a file that holds a secret: a line end is none of it.
func ReadSecret(file string) (*refresh.Source[string], error) {
	return refresh.File(file, func(b []byte) (*string, error) {
		secret := string(bytes.TrimRight(b, "\r\n"))
		if secret == "" {
			return nil, errors.New("it is empty")
		}
		return &secret, nil
	})
}

// end ends looking for what changes.
func (c *Client) end() {
	c.provider.Close()
	if c.keys != nil {
		c.keys.Close()
	}
	if c.secret != nil {
		c.secret.Close()
	}
	if c.board != nil {
		c.board.Close()
	}
	c.asks.Close()
}

// Keys are those that cookies are encrypted with now: another pointer if they have changed.
func (c *Client) Keys() *Keys { return c.keys.Get() }

// Ready reports whether it is known how to log in.
func (c *Client) Ready() bool { return c.provider.Get() != nil }

// Trouble is why the provider's metadata couldn't be fetched, last; nil if it was.
func (c *Client) Trouble() error { return c.provider.Err() }

// Now is the time by the client's clock.
func (c *Client) Now() time.Time { return c.now() }

// config is the OAuth configuration for a provider.
func (c *Client) config(p *Provider, callback string) *oauth2.Config {
	config := &oauth2.Config{ClientID: c.rules.ID, Endpoint: p.endpoint, RedirectURL: callback, Scopes: strings.Fields(c.rules.Scopes)}
	if c.secret != nil {
		config.ClientSecret = *c.secret.Get()
	}
	return config
}

// Redeem completes a login: it exchanges the code that the provider gave the browser for
// tokens, and returns the values of the Set-Cookie fields that hold the session.
func (c *Client) Redeem(ctx context.Context, login *Login, code string) (cookies []string, err error) {
	p := c.provider.Get()
	if p == nil {
		return nil, &AwayError{"nothing is known of it yet"}
	}
	ctx, cancel := context.WithTimeout(lib.ClientContext(ctx, c.http), providerTimeout)
	defer cancel()
	token, err := c.config(p, login.Callback).Exchange(ctx, code, oauth2.VerifierOption(login.Verifier))
	if err != nil {
		return nil, tokenError(err)
	}
	raw, id, err := c.verify(ctx, p, token, login.Nonce)
	if err != nil {
		return nil, &InvalidError{printable(err.Error())}
	}
	now := c.now()
	s := c.newSession(token, raw, id, now, now.Add(c.rules.Session))
	if s.Began = id.IssuedAt; s.Began.IsZero() {
		s.Began = now
	}
	if err := c.begins(s, now); err != nil {
		return nil, err
	}
	return c.seal(s)
}

// begins refuses a session that would be over as soon as it has begun: the browser would be
// sent to the provider and back for ever.
func (c *Client) begins(s *Session, now time.Time) error {
	if s.Began.After(now.Add(leeway)) { // and no logout would end it
		return &InvalidError{"it was made in the future (iat)"}
	}
	if s.Until = c.until(s); !now.Before(s.Until) {
		return &InvalidError{"it was made longer ago than a session lasts (iat)"}
	}
	if !now.Before(s.Expires) {
		return &InvalidError{"the tokens have expired already"}
	}
	claims, err := s.Claims()
	if err != nil {
		return &InvalidError{printable(err.Error())}
	}
	if holder := s.Holder(claims); c.Ended(&holder) {
		return &AwayError{"it has told of a logout that is later than the login which it gives"}
	}
	return nil
}

// newSession makes a session of tokens.
func (c *Client) newSession(token *oauth2.Token, raw string, id *lib.IDToken, now, until time.Time) *Session {
	s := &Session{Until: until, Obtained: now, ID: raw, Refresh: token.RefreshToken}
	switch {
	case token.ExpiresIn > 0:
		s.Expires = now.Add(time.Duration(min(token.ExpiresIn, int64(c.rules.Session/time.Second)+1)) * time.Second)
	case !token.Expiry.IsZero():
		s.Expires = token.Expiry
	default: // it doesn't say, so that the ID token's time has to do
		s.Expires = id.Expiry
	}
	if c.access.Load() {
		s.Access = token.AccessToken
	}
	return s
}

// refreshed gets new tokens for a session (OpenID Connect Core 1.0, 12).
func (c *Client) refreshed(ctx context.Context, s *Session) (*Session, error) {
	p := c.provider.Get()
	if p == nil {
		return nil, &AwayError{"nothing is known of it yet"}
	}
	ctx, cancel := context.WithTimeout(lib.ClientContext(ctx, c.http), providerTimeout)
	defer cancel()
	token, err := c.config(p, "").TokenSource(ctx, &oauth2.Token{RefreshToken: s.Refresh}).Token()
	if err != nil {
		return nil, tokenError(err)
	}
	raw, id := s.ID, &lib.IDToken{}
	before, err := s.Claims()
	if err != nil {
		return nil, &InvalidError{printable(err.Error())}
	}
	if given, _ := token.Extra("id_token").(string); given != "" {
		if raw, id, err = c.verify(ctx, p, token, ""); err != nil {
			return nil, &InvalidError{printable(err.Error())}
		}
		if id.Subject != before["sub"] {
			return nil, &InvalidError{"it is for another user (sub)"}
		}
		if id.Nonce != "" && id.Nonce != before["nonce"] {
			return nil, &InvalidError{"it was made for another login (nonce)"}
		}
	}
	now := c.now()
	renewed := c.newSession(token, raw, id, now, s.Until)
	renewed.Began = s.Began
	if err := renewed.keep(s, before); err != nil {
		return nil, &InvalidError{printable(err.Error())}
	}
	if renewed.Expires.IsZero() {
		renewed.Expires = now.Add(s.Expires.Sub(s.Obtained))
	}
	if !now.Before(renewed.Expires) {
		return nil, &InvalidError{"the tokens have expired already"}
	}
	return renewed, nil
}

// newHTTP makes a client for requests to providers: bounded, and without redirects.
func newHTTP(by http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     bounded{by},
		Timeout:       providerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded bounds the size of responses.
type bounded struct{ by http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	const most = 1 << 20
	resp, err := b.by.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, most), resp.Body}
	return resp, nil
}
