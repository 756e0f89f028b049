package config

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OIDC has people log in at an identity provider (OpenID Connect Core 1.0, 3.1).
type OIDC struct {
	At At
	OIDCClient
	RedisAt At // where Redis stands

	Claims  []Claim // that the ID token must have
	Forward []Claim // fields, in lower case, with the claims, or tokens, that upstreams get in them
	Cache   int     // how many sessions are remembered
	TLSAt   At
}

// OIDCClient is what routes have in common for which one logs in once.
type OIDCClient struct {
	Issuer   string // the provider, as it calls itself
	ID       string // the gateway, as the provider calls it
	Secret   string // the file of its secret; "": it has none
	Keys     string // the file of the keys that cookies are encrypted with
	Scopes   string // with spaces between
	Callback string // paths: where the provider sends browsers back to,
	Login    string // where one logs in without asking for a page,
	Logout   string // where one logs out,
	Back     string // where the provider tells of logouts; "": nowhere,
	After    string // and where that ends: a path, or a URL
	Origin   string // as browsers have it; "": what was asked
	Cookie   string // the name of the session's, without its prefix
	Session  time.Duration
	Refresh  time.Duration // how often the provider is asked what it is
	TLS      ProviderTLS   // with the provider
	Redis    Redis         // where gateways tell each other of logouts; without an address they don't
	Insecure bool          // cookies are sent without TLS
}

// AccessToken and IDToken stand where the name of a claim may: for the tokens themselves.
const (
	AccessToken = "access_token"
	IDToken     = "id_token"
)

// NeedsAccess reports whether an upstream gets the access token.
func (o *OIDC) NeedsAccess() bool {
	return slices.ContainsFunc(o.Forward, func(c Claim) bool { return c.Name == AccessToken })
}

func readOIDC(p place) *OIDC {
	o := &OIDC{At: p.At(), Cache: 10_000, OIDCClient: OIDCClient{
		Scopes: "openid", Callback: "/oauth2/callback", Login: "/oauth2/login", Logout: "/oauth2/logout", After: "/",
		Session: 12 * time.Hour, Refresh: 5 * time.Minute,
	}}
	found := readFields(p, o, []known[OIDC]{
		// The provider, as it calls itself. Default: required
		{"issuer", func(o *OIDC, p place) { o.Issuer = p.webURL("https://id.example") }},
		// The gateway, as the provider calls it. Default: required
		{"client-id", func(o *OIDC, p place) { o.ID = p.text() }},
		// File of its secret. Default: none
		{"client-secret", func(o *OIDC, p place) { o.Secret = p.secretFile() }},
		// File of the keys that cookies are encrypted with. Default: required
		{"keys", func(o *OIDC, p place) { o.Keys = p.secretFile() }},
		// What is asked for.
		{"scopes", func(o *OIDC, p place) { o.Scopes = readScopes(p) }},
		// Path that the provider sends browsers back to.
		{"callback", func(o *OIDC, p place) { o.Callback = readOwnPath(p) }},
		// Path where one logs in without asking for a page.
		{"login", func(o *OIDC, p place) { o.Login = readOwnPath(p) }},
		// Path where one logs out.
		{"logout", func(o *OIDC, p place) { o.Logout = readOwnPath(p) }},
		// Path where the provider reports logouts. Default: none
		{"back-channel-logout", func(o *OIDC, p place) { o.Back = readOwnPath(p) }},
		// Where gateways tell each other of logouts. Default: they don't
		{"redis", func(o *OIDC, p place) { o.Redis, o.RedisAt = readLogoutBus(p), p.At() }},
		// Path or URL that a browser is sent to after a logout.
		{"after-logout", func(o *OIDC, p place) {
			if o.After = p.text(); !strings.HasPrefix(o.After, "/") || strings.HasPrefix(o.After, "//") {
				p.webURL("https://www.example.com/bye, or a path")
			}
		}},
		// The gateway's origin as browsers see it. Default: that of the request
		{"origin", func(o *OIDC, p place) {
			if origin, ok := readOrigin(p, p.text()); ok {
				o.Origin = origin.Scheme + "://" + origin.Host
			}
		}},
		// Name of the session's cookie. Default: `oidc-` and a hash of issuer and client
		{"cookie", func(o *OIDC, p place) { o.Cookie = p.token("cookie") }},
		// How long a login is valid.
		{"session", func(o *OIDC, p place) { o.Session = p.Duration(time.Minute, 400*24*time.Hour) }},
		// How often the provider's description is fetched again.
		{"refresh", func(o *OIDC, p place) { o.Refresh = p.Duration(time.Second, 24*time.Hour) }},
		// TLS with the provider.
		{"tls", func(o *OIDC, p place) { o.TLS, o.TLSAt = readProviderTLS(p) }},
		// Cookies are sent without TLS too. Default: `false`
		{"insecure", func(o *OIDC, p place) { o.Insecure = p.Boolean() }},
		// Claims that the ID token must have, with their values.
		{"claims", func(o *OIDC, p place) { o.Claims = readClaims(p) }},
		// Header fields that pass claims to the upstream, or `access_token` or `id_token`
		// itself.
		{"forward", func(o *OIDC, p place) { o.Forward = readForward(p) }},
		// Sessions that are remembered.
		{"cache", func(o *OIDC, p place) { o.Cache = p.Integer(0, 1_000_000) }},
	})
	if !p.IsMapping() {
		return o
	}
	if o.Cookie == "" {
		sum := sha256.Sum256([]byte(o.Issuer + "\x00" + o.ID))
		o.Cookie = "oidc-" + hex.EncodeToString(sum[:4])
	}
	for _, need := range []struct{ name, hint string }{
		{"issuer", "such as issuer: https://id.example"},
		{"client-id", "the name that the gateway is registered by at the provider"},
		{"keys", "such as keys: ./cookie-keys, a file written by: openssl rand -base64 32"},
	} {
		if _, ok := found[need.name]; !ok {
			p.Problem(need.hint, "oidc needs %s", need.name)
		}
	}
	checkProviderTLS(found, "issuer", o.Issuer)
	own := []string{}
	for _, path := range []string{o.Callback, o.Login, o.Logout, o.Back} {
		if path != "" && slices.Contains(own, path) {
			p.Problem("", "callback, login, logout and back-channel-logout are different paths")
		}
		own = append(own, path)
	}
	if at, ok := found["redis"]; ok && o.Back == "" {
		at.Problem("add: back-channel-logout: /oauth2/back-channel-logout", "gateways tell each other by redis of logouts, and the provider tells none of them")
	}
	return o
}

// readLogoutBus reads where gateways tell each other of logouts.
func readLogoutBus(p place) Redis {
	r := *readRedis(p)
	if p.IsMapping() {
		for _, f := range p.fields() {
			if f.key == "every" || f.key == "away" {
				f.named.Problem("remove it", "logouts are told at once, and those that are known count while Redis is away: %s is of limits", f.key)
			}
		}
	}
	r.At, r.Every, r.Away = At{}, 0, AwayShare // routes that say the same are equal
	return r
}

// readScopes reads scopes; openid is one of them whoever forgets it (OpenID Connect Core
// 1.0, 3.1.2.1).
func readScopes(p place) string {
	scopes := []string{"openid"}
	for _, item := range p.list() {
		text := item.text()
		if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			item.Problem("such as [profile, email]", "expected a scope, got %s", form.Quote(text))
		}
		if !slices.Contains(scopes, text) {
			scopes = append(scopes, text)
		}
	}
	return strings.Join(scopes, " ")
}

// readOwnPath reads a path that the gateway responds to itself.
func readOwnPath(p place) string {
	text := p.text()
	if text == "" {
		return ""
	}
	hint, message := checkPattern(text)
	if message == "" && strings.ContainsAny(text, "*{}") {
		hint, message = "such as /oauth2/callback", "expected a path without patterns, got "+form.Quote(text)
	}
	if message != "" {
		p.Problem(hint, "%s", message)
	}
	return text
}

// webURL reads an https URL, or one over http of this machine.
func (p place) webURL(such string) string {
	text := p.text()
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https":
		p.Problem("such as "+such, "expected an https URL, got %s", form.Quote(text))
	case u.Scheme == "http" && u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1":
		p.Problem("write https://", "plain http is taken for this machine's own addresses only: on the way anybody could respond")
	}
	return text
}

// secretFile reads the path of a file that holds secrets. It begins as paths do: what is
// no path may be the secret itself, and isn't repeated.
func (p place) secretFile() string {
	text := p.text()
	if text == "" {
		return ""
	}
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
		p.Problem("such as ./client-secret", "expected the file that holds it, with / or ./ at its beginning: secrets don't belong into this one")
		return ""
	}
	return p.path()
}

// linkOIDC holds the routes with oidc against each other and against the listeners.
func (c *Config) linkOIDC(in *input) {
	first := map[[3]string]*OIDC{} // of its issuer, client and cookie
	for _, r := range c.Routes {
		o := r.OIDC
		if o == nil || o.Issuer == "" || o.ID == "" {
			continue
		}
		key := [3]string{o.Issuer, o.ID, o.Cookie}
		if other := first[key]; other == nil {
			first[key] = o
			c.Logins = append(c.Logins, o.OIDCClient)
			c.LoginText += o.Cookie + " " + strconv.FormatBool(o.Insecure) + " "
		} else if other.OIDCClient != o.OIDCClient {
			in.Problems = append(in.Problems, o.At.Problem("write it once with an anchor: oidc: &login {…}, and oidc: *login; claims, forward and cache may differ; or give it a cookie of its own",
				"routes that share a session say the same of it, and line %d says something else", other.At.Line))
			continue
		}
		if !o.Insecure && !c.servesTLS() {
			in.Problems = append(in.Problems, o.At.Problem("add tls, or trust if a proxy before the gateway has it; insecure: true is for tests on this machine",
				"no address speaks TLS, and browsers send the session's cookies over nothing else"))
		}
		if problem := c.checkLogins(r, o); problem != nil {
			in.Problems = append(in.Problems, *problem)
		}
	}
	c.checkCookies(in)
}

// servesTLS reports whether clients can reach it by TLS, here or at a proxy that is
// trusted.
func (c *Config) servesTLS() bool {
	return len(c.Trust) > 0 || slices.ContainsFunc(c.Listen, func(l Listener) bool { return l.TLS != nil })
}
