package config

import (
	"net/url"
	"strings"
	"time"

	"dyno.example/nano/wire/http1"
)

// CORS is what scripts of other origins may do (Fetch standard 3.2).
type CORS struct {
	Origins     []Origin // empty: all, which goes with no credentials
	Methods     []string
	Headers     []string // that requests may carry; empty: those that a preflight asks for
	Expose      []string // of responses, that scripts may read
	Credentials bool
	MaxAge      time.Duration // how long a browser may keep the response to a preflight
}

// Origin is an origin, or all below a host.
type Origin struct {
	Scheme, Host string // Host with its port, if one is named
	Below        bool   // "https://*.example.com": any one label or more before Host
}

func readCORS(p place) *CORS {
	c := &CORS{Methods: []string{"GET", "HEAD", "POST"}, MaxAge: 10 * time.Minute}
	found := readFields(p, c, []known[CORS]{
		// Such as `https://app.example.com` or `https://*.example.com`; `"*"` for all. Default:
		// required
		{"origins", func(c *CORS, p place) {
			for _, item := range p.list() {
				text := item.text()
				if text == "*" && len(p.list()) == 1 {
					return
				}
				if origin, ok := readOrigin(item, text); ok {
					c.Origins = append(c.Origins, origin)
				}
			}
		}},
		// Methods that requests may have. Default: `[GET, HEAD, POST]`
		{"methods", func(c *CORS, p place) { c.Methods = readTokens(p, "method") }},
		// Header fields that requests may carry. Default: those that a preflight asks for
		{"headers", func(c *CORS, p place) { c.Headers = readTokens(p, "header field") }},
		// Header fields of responses that scripts may read. Default: none
		{"expose", func(c *CORS, p place) { c.Expose = readTokens(p, "header field") }},
		// Requests may carry cookies and the like; not with all origins. Default: `false`
		{"credentials", func(c *CORS, p place) { c.Credentials = p.Boolean() }},
		// How long a browser may keep the response to a preflight.
		{"max-age", func(c *CORS, p place) { c.MaxAge = p.Duration(0, 24*time.Hour) }},
	})
	if _, ok := found["origins"]; !ok && p.IsMapping() {
		p.Problem(`such as ["https://app.example.com"], or "*" for all`, "cors needs origins")
	}
	if c.Credentials && len(c.Origins) == 0 {
		p.Problem("name the origins", "any page of the web could act in a user's name: credentials don't go with all origins")
	}
	return c
}

func readTokens(p place, what string) (all []string) {
	for _, item := range p.list() {
		all = append(all, item.token(what))
	}
	return all
}

// readOrigin reads scheme://host[:port], whose host may begin with "*.".
func readOrigin(p place, text string) (o Origin, ok bool) {
	if text == "" {
		return o, false
	}
	const hint = "such as https://app.example.com or https://*.example.com"
	u, err := url.Parse(strings.Replace(text, "://*.", "://", 1))
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || !http1.ValidHost(u.Hostname()) && !strings.Contains(u.Host, "[") {
		p.Problem(hint, "expected an origin, got %s", form.Quote(text))
		return o, false
	}
	return Origin{strings.ToLower(u.Scheme), strings.ToLower(u.Host), strings.Contains(text, "://*.")}, true
}
