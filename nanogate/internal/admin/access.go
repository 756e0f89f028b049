//go:build linux

package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"mime"
	"net"
	"net/netip"
	"os"
	"strings"

	"dyno.example/nano"
)

// Options are the access rules of the admin API.
type Options struct {
	// Local says that the address is this machine's own: loopback or a unix socket. At
	// others nothing is changed without a token.
	Local bool
	// Token is a file that holds a token, which is required to change anything or to
	// read the configuration. "": no token is required.
	Token string
}

const leastToken = 16 // bytes

// readToken reads the token's file, which may change while the gateway runs.
func readToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the admin token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < leastToken {
		return "", fmt.Errorf("the admin token: expected at least %d characters in %s, got %d", leastToken, path, len(token))
	}
	return token, nil
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	if o.Token == "" {
		return nil
	}
	_, err := readToken(o.Token)
	return err
}

// known admits requests with the token, if there is one. Without one none is admitted at an
// address that other machines can reach: behind it are the configuration, users' requests and
// responses, and the right to change both.
func (o Options) known(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		switch {
		case o.Token != "":
		case o.Local:
			return next(c)
		default:
			return nano.NewProblem(403, "this is neither shown nor changed at an address that others can reach without a token: admin: {address, token: FILE}")
		}
		token, err := readToken(o.Token)
		if err != nil {
			return nano.NewProblem(503, "the gateway's admin token can't be read").Because(err)
		}
		given, _ := strings.CutPrefix(string(c.Header("Authorization")), "Bearer ")
		want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			c.SetHeader("WWW-Authenticate", "Bearer")
			return nano.NewProblem(401, "this takes the admin token, as Authorization: Bearer TOKEN")
		}
		return next(c)
	}
}

// forwarding are fields that a proxy adds to what it passes on.
var forwarding = []string{"Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Client-Cert", "X-Real-IP"}

// direct refuses requests that a proxy has forwarded, unless they have the token: that they
// come from this machine then says nothing about their sender. Readiness and metrics are
// exempt, as sidecars request them.
func (o Options) direct(next nano.Handler) nano.Handler {
	known := o.known(next)
	return func(c nano.Ctx) error {
		path := string(c.Path())
		if path == "/ready" || path == "/metrics" {
			return next(c)
		}
		for _, name := range forwarding {
			switch {
			case c.Header(name) == nil:
			case o.Token == "":
				return nano.NewProblem(403, "a proxy has forwarded this request ("+name+"): connect to the gateway directly, or use a token: admin: {address, token: FILE}")
			default:
				return known(c)
			}
		}
		return next(c)
	}
}

// changes admits changes: at this machine's own addresses or with a token, and never
// from a browser for a page of another site. A form can't send such a content type, and
// a script of another origin must send a preflight, which is refused.
func (o Options) changes(next nano.Handler) nano.Handler {
	return o.known(func(c nano.Ctx) error {
		if site := string(c.Header("Sec-Fetch-Site")); site != "" && site != "same-origin" && site != "none" {
			return nano.NewProblem(403, "a page of the web can't change the gateway")
		}
		if origin := string(c.Header("Origin")); origin != "" && origin != "http://"+string(c.Header("Host")) {
			return nano.NewProblem(403, "a page of the web can't change the gateway")
		}
		kind, _, err := mime.ParseMediaType(string(c.Header("Content-Type")))
		if err != nil || kind != "application/yaml" && kind != "application/json" {
			return nano.NewProblem(415, "expected Content-Type: application/yaml, or application/json")
		}
		return next(c)
	})
}

// local refuses requests whose host is a name: a web page whose own name resolves to
// this address could read everything (DNS rebinding). IP addresses and localhost are
// admitted.
func local(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		host := string(c.Header("Host"))
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.Trim(host, "[]")
		if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
			return nano.NewProblem(403, "the admin address must be named by an IP address or as localhost")
		}
		return next(c)
	}
}
