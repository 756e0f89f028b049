package middleware

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/nano"
)

// CORSConfig is how [CORS] works.
type CORSConfig struct {
	// Origins whose scripts may send requests: "https://app.example.com", with
	// "https://*.example.com" for all below a domain, or "*" for all.
	Origins []string
	// Allow decides about further origins. It is not called for "null".
	Allow func(c nano.Ctx, origin string) bool
	// Methods that scripts may use in addition to GET, HEAD and POST; default PUT,
	// PATCH and DELETE.
	Methods []string
	// Headers that scripts may send in addition to those that are always allowed;
	// default Content-Type. "*" means all but Authorization, and isn't possible with
	// Credentials.
	Headers []string
	// Expose names fields of responses that scripts may read.
	Expose []string
	// Credentials lets browsers send cookies and take responses to such requests. It
	// can't be had for all origins.
	Credentials bool
	// MaxAge is how long browsers may remember the response to a preflight; default 10
	// minutes. Negative: not at all.
	MaxAge time.Duration
	// PrivateNetwork allows the preflight of public sites that request access to a
	// server in a private network (Private Network Access).
	PrivateNetwork bool
}

// CORS lets browsers know which other sites' scripts may use the service, by the Fetch
// standard's CORS protocol. It responds to preflight requests. It doesn't refuse other
// requests: an origin that may not read a response can still send the request, see
// [CSRF] for that.
//
// Put it on the app, not on a group: only there is it around preflight requests for
// paths that have no route for OPTIONS. Responses vary by Origin, and say so, unless
// Origins is just "*".
func CORS(config CORSConfig) nano.Middleware {
	p := newCORS(config)
	before := p.before
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.BeforeResponse(before)
			if string(c.Method()) == "OPTIONS" && c.Header("Origin") != nil && c.Header("Access-Control-Request-Method") != nil {
				return p.preflight(c)
			}
			return next(c)
		}
	}
}

type cors struct {
	CORSConfig
	all      bool        // "*"
	suffixes [][2]string // scheme and ".domain" of origins with a wildcard
	methods  string
	headers  string
	expose   string
	maxAge   string
}

func newCORS(config CORSConfig) *cors {
	p := &cors{CORSConfig: config}
	if config.Origins == nil && config.Allow == nil {
		panic("middleware: CORSConfig needs Origins or Allow: without them it allows no origin")
	}
	p.Origins = nil
	for _, o := range config.Origins {
		p.addOrigin(o)
	}
	if p.all && p.Credentials {
		panic(`middleware: CORSConfig with Origins "*" and Credentials would let every site act as its visitors; list the origins`)
	}
	if p.Methods == nil {
		p.Methods = []string{"PUT", "PATCH", "DELETE"}
	}
	if p.Headers == nil {
		p.Headers = []string{"Content-Type"}
	}
	if p.Credentials && (slices.Contains(p.Headers, "*") || slices.Contains(p.Methods, "*") || slices.Contains(p.Expose, "*")) {
		panic(`middleware: CORSConfig: with Credentials "*" is not a wildcard (Fetch 3.2.5); list the names`)
	}
	if p.MaxAge == 0 {
		p.MaxAge = 10 * time.Minute
	}
	p.methods, p.headers, p.expose = strings.Join(p.Methods, ", "), strings.Join(p.Headers, ", "), strings.Join(p.Expose, ", ")
	for name, value := range map[string]string{"Access-Control-Allow-Methods": p.methods, "Access-Control-Allow-Headers": p.headers, "Access-Control-Expose-Headers": p.expose} {
		mustSend("CORSConfig", name, value)
	}
	p.maxAge = strconv.FormatInt(max(int64(p.MaxAge/time.Second), 0), 10)
	return p
}

func (p *cors) addOrigin(o string) {
	if o == "*" {
		p.all = true
		return
	}
	u, err := url.Parse(strings.Replace(o, "://*.", "://any.", 1))
	if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != strings.Replace(o, "://*.", "://any.", 1) || strings.Contains(u.Host, "*") || o != strings.ToLower(o) {
		panic(fmt.Sprintf("middleware: the CORS origin %q must be like https://example.com: scheme, host and port as browsers send them, in lower case, no path", o))
	}
	if scheme, domain, wild := strings.Cut(o, "://*"); wild {
		p.suffixes = append(p.suffixes, [2]string{scheme + "://", domain})
		return
	}
	p.Origins = append(p.Origins, o)
}

// allowed reports whether scripts of an origin may read responses.
func (p *cors) allowed(c nano.Ctx, origin []byte) bool {
	if p.all {
		return true
	}
	for _, o := range p.Origins {
		if string(origin) == o {
			return true
		}
	}
	for _, s := range p.suffixes {
		if n := len(s[0]) + len(s[1]); len(origin) > n && string(origin[:len(s[0])]) == s[0] && string(origin[len(origin)-len(s[1]):]) == s[1] &&
			isLabels(origin[len(s[0]):len(origin)-len(s[1])]) {
			return true
		}
	}
	return p.Allow != nil && string(origin) != "null" && p.Allow(c, string(origin))
}

// isLabels reports whether b is labels of a host, with dots between them, as
// browsers send them (RFC 1034 3.5, and "_"): no end of a host and start of something
// else can hide in it.
func isLabels(b []byte) bool {
	last := byte('.')
	for _, c := range b {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		case c == '.' && last != '.':
		default:
			return false
		}
		last = c
	}
	return last != '.'
}

// before sets the fields that all responses have. It comes last, so that fields
// which handlers have set don't get in its way.
func (p *cors) before(c nano.Ctx, a *nano.Response) {
	if !p.all || p.Allow != nil {
		c.Vary("Origin")
	}
	origin := c.Header("Origin")
	if origin == nil || !p.allowed(c, origin) {
		return
	}
	if p.all {
		c.SetHeader("Access-Control-Allow-Origin", "*")
	} else {
		c.SetHeader("Access-Control-Allow-Origin", string(origin))
	}
	if p.Credentials {
		c.SetHeader("Access-Control-Allow-Credentials", "true")
	}
	if p.expose != "" && string(c.Method()) != "OPTIONS" {
		c.SetHeader("Access-Control-Expose-Headers", p.expose)
	}
}

// preflight responds to a CORS-preflight request (Fetch 4.8). The browser decides by
// its fields; for origins that aren't allowed there are none.
func (p *cors) preflight(c nano.Ctx) error {
	c.Vary("Access-Control-Request-Method")
	c.Vary("Access-Control-Request-Headers")
	if p.PrivateNetwork {
		c.Vary("Access-Control-Request-Private-Network")
	}
	if p.allowed(c, c.Header("Origin")) {
		if p.methods != "" {
			c.SetHeader("Access-Control-Allow-Methods", p.methods)
		}
		if p.headers != "" {
			c.SetHeader("Access-Control-Allow-Headers", p.headers)
		}
		if p.MaxAge != 0 {
			c.SetHeader("Access-Control-Max-Age", p.maxAge)
		}
		if p.PrivateNetwork && string(c.Header("Access-Control-Request-Private-Network")) == "true" {
			c.SetHeader("Access-Control-Allow-Private-Network", "true")
		}
	}
	return c.NoContent(204)
}
