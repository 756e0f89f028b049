package oidc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	lib "github.com/coreos/go-oidc/v3/oidc"
)

// LogoutURL is where a browser is sent that logs out (OpenID Connect RP-Initiated Logout
// 1.0, 2), and which comes back to after, absolute; "" if the provider has no such place.
func (c *Client) LogoutURL(s *Session, after string) string {
	p := c.provider.Get()
	if p == nil || p.says.Logout == "" {
		return ""
	}
	u, err := url.Parse(p.says.Logout)
	if err != nil {
		return ""
	}
	const mostHint = 3000 // bytes that URLs may have everywhere
	q := u.Query()
	q.Set("client_id", c.rules.ID)
	q.Set("post_logout_redirect_uri", after)
	if len(s.ID) <= mostHint {
		q.Set("id_token_hint", s.ID)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// LogOut ends the sessions that a logout token of the provider's names (OpenID Connect
// Back-Channel Logout 1.0, 2.6). A token that comes again ends nothing more, so that those
// that were had aren't remembered.
func (c *Client) LogOut(ctx context.Context, raw string) error {
	p := c.provider.Get()
	if p == nil {
		return &AwayError{"nothing is known of it yet"}
	}
	ctx, cancel := context.WithTimeout(lib.ClientContext(ctx, c.http), providerTimeout)
	defer cancel()
	if !isLogoutToken(raw) {
		return &InvalidError{"it is a token of another type (typ)"}
	}
	token, err := p.verifier.VerifyLogout(ctx, raw)
	if err != nil {
		return &InvalidError{printable(err.Error())}
	}
	var said struct {
		Events map[string]map[string]any `json:"events"` // each is an object (2.4)
	}
	now := c.now()
	switch {
	case token.Claims(&said) != nil:
		return &InvalidError{"its events are no objects"}
	case token.IssuedAt.IsZero():
		return &InvalidError{"it doesn't say when it was made (iat)"}
	case token.IssuedAt.After(now.Add(leeway)):
		return &InvalidError{"it was made in the future (iat)"}
	}
	one := Logout{Subject: markOf("sub", token.Subject), At: token.IssuedAt.Unix(), Until: now.Add(c.rules.Session + leeway).Unix()}
	if token.SessionID != "" {
		one.Subject = markOf("sid", token.SessionID)
	}
	c.logouts.add(one, now)
	if c.board == nil {
		return nil
	}
	if err := c.board.Tell(ctx, one); err != nil {
		return &AwayError{"its logout can't be told to other gateways: " + printable(err.Error())}
	}
	return nil
}

// isLogoutToken reports whether a token says that it is one, or doesn't say what it is, as
// providers needn't (2.4): what a provider has signed for another use isn't taken for a logout
// (RFC 8725 3.11).
func isLogoutToken(raw string) bool {
	var head struct {
		Type string `json:"typ"`
	}
	first, _, _ := strings.Cut(raw, ".")
	b, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil || json.Unmarshal(b, &head) != nil {
		return false
	}
	kind := strings.TrimPrefix(strings.ToLower(head.Type), "application/")
	return kind == "" || kind == "jwt" || kind == "logout+jwt"
}

// hear notes a logout that another gateway has received.
func (c *Client) hear(one Logout) { c.logouts.add(one, c.now()) }

// Logouts is how many are remembered.
func (c *Client) Logouts() int { return c.logouts.len() }

// Ended reports whether the provider has ended a session.
func (c *Client) Ended(h *Holder) bool { return c.logouts.ended(h) }

// Holder identifies a session's user, by the claims of its ID token.
func (s *Session) Holder(claims map[string]any) Holder {
	h := Holder{began: s.Began.Unix()}
	if sub, ok := claims["sub"].(string); ok {
		h.person = markOf("sub", sub)
	}
	if sid, ok := claims["sid"].(string); ok && sid != "" {
		h.session = markOf("sid", sid)
	}
	if s.SID != "" {
		h.first = markOf("sid", s.SID)
	}
	return h
}

// Revokes reports whether the provider can revoke a session's tokens.
func (c *Client) Revokes(s *Session) bool {
	p := c.provider.Get()
	return p != nil && p.says.Revoke != "" && (s.Refresh != "" || s.Access != "")
}

// Revoke has the provider revoke a session's tokens (RFC 7009): first the refresh token,
// with which access tokens mostly go too.
func (c *Client) Revoke(ctx context.Context, s *Session) (err error) {
	p := c.provider.Get()
	if p == nil {
		return &AwayError{"nothing is known of it yet"}
	}
	ctx, cancel := context.WithTimeout(ctx, providerTimeout)
	defer cancel()
	for _, one := range []struct{ hint, token string }{{"refresh_token", s.Refresh}, {"access_token", s.Access}} {
		if one.token != "" {
			err = errors.Join(err, c.revoke(ctx, p, one.hint, one.token))
		}
	}
	return err
}

func (c *Client) revoke(ctx context.Context, p *Provider, hint, token string) error {
	form := url.Values{"token": {token}, "token_type_hint": {hint}}
	secret, basic := "", false
	if c.secret != nil {
		secret = *c.secret.Get()
		basic = len(p.says.RevokeMethods) == 0 || slices.Contains(p.says.RevokeMethods, "client_secret_basic")
	}
	if !basic {
		if form.Set("client_id", c.rules.ID); secret != "" {
			form.Set("client_secret", secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.says.Revoke, strings.NewReader(form.Encode()))
	if err != nil {
		return &AwayError{printable(err.Error())}
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if basic {
		req.SetBasicAuth(url.QueryEscape(c.rules.ID), url.QueryEscape(secret)) // RFC 6749 2.3.1
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return &AwayError{printable(err.Error())}
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	switch {
	case resp.StatusCode == http.StatusOK, resp.StatusCode == http.StatusNoContent:
		return nil
	case resp.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "unsupported_token_type"): // RFC 7009 2.2.1: such tokens just end
		return nil
	}
	return &AwayError{"it responded to the revocation of the " + hint + " with " + printable(resp.Status)}
}

// until is when a session is over by the rules as they are now, which may allow less than
// when it began.
func (c *Client) until(s *Session) time.Time {
	if latest := s.Began.Add(c.rules.Session + leeway); latest.Before(s.Until) {
		return latest
	}
	return s.Until
}
