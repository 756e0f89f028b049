package middleware

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"net/url"
	"slices"

	"dyno.example/nano"
)

// CSRFConfig is how [CSRF] works.
type CSRFConfig struct {
	// Trusted are other origins that may send requests that change things, as
	// "https://admin.example.com".
	Trusted []string
	// Skip exempts requests from the check: those of a webhook that authenticates in
	// another way.
	Skip func(c nano.Ctx) bool
	// Token requires the token of [CSRFToken] where the client sends neither
	// Sec-Fetch-Site nor Origin: browsers from before 2020, and all that aren't
	// browsers. It is a cookie and, to prove that the page could read it, either the
	// field X-CSRF-Token or the form's field csrf_token. The cookie is sent over TLS
	// only.
	Token bool
}

// CSRFToken is the token for forms, if [CSRFConfig].Token is set.
var CSRFToken = nano.NewKey[string]("csrf token")

// csrfCookie has the prefix that keeps other hosts of the domain, and plain
// HTTP, from setting it.
const csrfCookie = "__Host-csrf"

// CSRF refuses, with 403, requests other than GET, HEAD and OPTIONS that another site
// has made the browser send. Browsers say so in Sec-Fetch-Site (Fetch Metadata), older
// ones in Origin, which must be the request's host. A request with neither field comes
// from no browser of recent years and is let through, as such a client has no cookies
// to be misused; see Token.
//
// It can't help what GET changes. The rules are those of net/http's
// CrossOriginProtection.
func CSRF(config CSRFConfig) nano.Middleware {
	for _, o := range config.Trusted {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != o {
			panic("middleware: the trusted origin " + o + " of CSRF must be like https://example.com")
		}
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			if config.Token {
				giveToken(c)
			}
			if err := config.check(c); err != nil {
				return err
			}
			return next(c)
		}
	}
}

const crossSite = "the request comes from another site"

func (config *CSRFConfig) check(c nano.Ctx) error {
	switch string(c.Method()) {
	case "GET", "HEAD", "OPTIONS":
		return nil
	}
	origin := c.Header("Origin")
	switch site := c.Header("Sec-Fetch-Site"); {
	case string(site) == "same-origin" || string(site) == "none":
		return nil
	case len(site) == 0 && len(origin) == 0:
		if config.Token {
			return config.skipped(c, checkToken(c))
		}
		return nil
	case len(site) == 0 && sameHost(origin, c.Host()):
		return nil
	}
	if slices.Contains(config.Trusted, string(origin)) {
		return nil
	}
	return config.skipped(c, nano.NewProblem(403, crossSite))
}

// skipped returns the refusal unless the request is exempt.
func (config *CSRFConfig) skipped(c nano.Ctx, refusal error) error {
	if refusal != nil && config.Skip != nil && config.Skip(c) {
		return nil
	}
	return refusal
}

// sameHost compares an origin with a host and port. The scheme isn't looked at:
// what a proxy in front has made of it isn't known.
func sameHost(origin, host []byte) bool {
	_, of, found := bytes.Cut(origin, []byte("://"))
	return found && bytes.EqualFold(of, host)
}

// giveToken makes sure that the client has a token.
func giveToken(c nano.Ctx) {
	token := c.Cookie(csrfCookie).String()
	if len(token) != len(rand.Text()) {
		token = rand.Text()
		c.SetCookie(nano.Cookie{Name: csrfCookie, Value: token, Path: "/", Secure: true, SameSite: nano.SameSiteLax})
	}
	CSRFToken.Set(c, token)
}

func checkToken(c nano.Ctx) error {
	sent := string(c.Header("X-CSRF-Token"))
	if sent == "" {
		if form, err := c.Form(); err == nil {
			sent = form.Get("csrf_token").String()
		}
	}
	have := c.Cookie(csrfCookie)
	if len(have) == 0 || subtle.ConstantTimeCompare(have, []byte(sent)) != 1 {
		return nano.NewProblem(403, "the request has no valid token")
	}
	return nil
}
