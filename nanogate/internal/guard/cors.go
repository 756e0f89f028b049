package guard

import (
	"bytes"
	"strconv"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// FieldsOfCORS are the fields, in lower case, by which a response lets scripts of other origins
// read it. Where there is this guard only it sets them: an upstream's would allow origins that
// the guard refuses, and browsers allow none if there are two.
var FieldsOfCORS = []string{
	"access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods", "access-control-allow-headers",
	"access-control-allow-private-network", "access-control-expose-headers", "access-control-max-age",
}

// CORS responds to preflights and lets browsers know which origins' scripts may read
// responses (Fetch standard 3.2). It refuses no other request: that is what the other
// guards are for.
type CORS struct {
	rules     config.CORS
	preflight []byte // lines of the response to a preflight from an allowed origin
	expose    []byte
	refused   *request.Reply
}

// NewCORS makes the guard.
func NewCORS(rules *config.CORS) *CORS {
	c := &CORS{rules: *rules, refused: &request.Reply{Why: request.RefusedOrigin, Status: 204, Fields: []byte("Vary: Origin\r\n")}}
	var lines []byte
	lines = request.AppendField(lines, "Access-Control-Allow-Methods", strings.Join(rules.Methods, ", "))
	if len(rules.Headers) > 0 {
		lines = request.AppendField(lines, "Access-Control-Allow-Headers", strings.Join(rules.Headers, ", "))
	}
	c.preflight = request.AppendField(lines, "Access-Control-Max-Age", strconv.Itoa(int(rules.MaxAge.Seconds())))
	if len(rules.Expose) > 0 {
		c.expose = []byte(strings.Join(rules.Expose, ", "))
	}
	return c
}

// Check responds to preflights, and adds to other responses which origin may read them.
func (c *CORS) Check(r *request.Request) *request.Reply {
	origin, asked := r.Header("origin")
	method, wanted := r.Header("access-control-request-method")
	if asked && wanted && string(r.Method()) == "OPTIONS" && http1.ValidToken(string(method)) {
		return c.preflightReply(r, origin)
	}
	if len(c.rules.Origins) > 0 {
		r.Respond("Vary", vary)
	}
	if asked && c.mayRead(origin) {
		c.allow(r, origin)
	}
	return nil
}

var vary, star, yes = []byte("Origin"), []byte("*"), []byte("true")

// allow adds what lets scripts of the origin read the response.
func (c *CORS) allow(r *request.Request, origin []byte) {
	if len(c.rules.Origins) == 0 {
		origin = star
	}
	r.Respond("Access-Control-Allow-Origin", origin)
	if c.rules.Credentials {
		r.Respond("Access-Control-Allow-Credentials", yes)
	}
	if c.expose != nil {
		r.Respond("Access-Control-Expose-Headers", c.expose)
	}
}

// preflightReply makes the response to a preflight. It may allocate: preflights are
// rare, as browsers cache the response.
func (c *CORS) preflightReply(r *request.Request, origin []byte) *request.Reply {
	if !c.mayRead(origin) {
		return c.refused
	}
	fields := []byte("Vary: Origin, Access-Control-Request-Headers\r\n")
	if len(c.rules.Origins) == 0 {
		origin = star
	}
	fields = request.AppendField(fields, "Access-Control-Allow-Origin", origin)
	if c.rules.Credentials {
		fields = request.AppendField(fields, "Access-Control-Allow-Credentials", "true")
	}
	if asked, ok := r.Header("access-control-request-headers"); ok && len(c.rules.Headers) == 0 {
		fields = request.AppendField(fields, "Access-Control-Allow-Headers", asked)
	}
	return &request.Reply{Status: 204, Fields: append(fields, c.preflight...)}
}

// mayRead reports whether scripts of an origin may read responses.
func (c *CORS) mayRead(origin []byte) bool {
	return len(c.rules.Origins) == 0 || anyOrigin(c.rules.Origins, origin)
}

// anyOrigin reports whether an origin is one of those. It compares scheme and host, not
// text: "https://evil.com#.example.com" is no origin below example.com.
func anyOrigin(origins []config.Origin, origin []byte) bool {
	scheme, host, ok := bytes.Cut(origin, schemeEnd)
	if !ok || bytes.ContainsAny(host, "/?#@\\ \t") {
		return false
	}
	for i := range origins {
		o := &origins[i]
		if !http1.EqualFold(scheme, o.Scheme) {
			continue
		}
		if below := len(host) - len(o.Host); o.Below {
			if below > 1 && host[below-1] == '.' && http1.EqualFold(host[below:], o.Host) {
				return true
			}
		} else if http1.EqualFold(host, o.Host) {
			return true
		}
	}
	return false
}

var schemeEnd = []byte("://")
