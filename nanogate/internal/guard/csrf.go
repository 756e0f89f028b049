package guard

import (
	"bytes"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// CSRF refuses requests that change something and that a page of another origin had a
// browser send, with the user's cookies, as OWASP's cheat sheet on cross-site request
// forgery has it and [net/http.CrossOriginProtection] does: by Sec-Fetch-Site (Fetch
// Metadata 2.3), and by Origin (RFC 6454 7) of browsers that don't send that. A client
// that sends neither is no browser.
type CSRF struct {
	rules   config.CSRF
	refused *request.Reply
}

// NewCSRF makes the guard.
func NewCSRF(rules *config.CSRF) *CSRF {
	return &CSRF{*rules, request.Refuse(403, "requests from pages of another origin are not allowed", "").For(request.RefusedForged)}
}

// Check refuses what another origin had sent.
func (c *CSRF) Check(r *request.Request) *request.Reply {
	if isSafe(r) || c.own(r) || c.trusts(r) {
		return nil
	}
	return c.refused
}

// isSafe reports whether a request changes nothing (RFC 9110 9.2.1). One that becomes a
// WebSocket may: browsers let pages open those to other origins with cookies.
func isSafe(r *request.Request) bool {
	switch string(r.Method()) {
	case "GET", "HEAD", "OPTIONS":
		_, upgrades := r.Header("upgrade")
		return !upgrades
	}
	return false
}

// own reports whether a page of the same origin had it sent, the user did, or no browser.
// A field that comes twice says nothing.
func (c *CSRF) own(r *request.Request) bool {
	site, sites := only(r, "sec-fetch-site")
	if sites > 0 {
		return sites == 1 && (string(site) == "same-origin" || string(site) == "none")
	}
	origin, origins := only(r, "origin")
	if origins == 0 {
		return true
	}
	scheme, host, ok := bytes.Cut(origin, schemeEnd)
	if !ok || origins > 1 || len(host) == 0 {
		return false
	}
	// A request over TLS may still come from a page without: then the hosts are the same
	// and the origins aren't.
	if r.Secure && !http1.EqualFold(scheme, "https") {
		return false
	}
	return bytes.EqualFold(host, r.Authority())
}

// trusts reports whether it is of an origin that may.
func (c *CSRF) trusts(r *request.Request) bool {
	if len(c.rules.Trust) == 0 {
		return false
	}
	origin, origins := only(r, "origin")
	return origins == 1 && anyOrigin(c.rules.Trust, origin)
}
