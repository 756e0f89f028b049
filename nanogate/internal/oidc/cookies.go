package oidc

import (
	"strconv"
	"strings"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Cookies names a client's cookies and writes them. A session is split, as browsers take
// no cookie of more than 4096 bytes with its name and attributes (RFC 6265bis 5.6).
type Cookies struct {
	names    [MostCookies]string // of a session's cookies
	login    [mostLogins]string
	insecure bool
}

const (
	// MostCookies is how many cookies a session may need.
	MostCookies = 3
	mostLogins  = 3    // that are under way at once in a browser
	cookieBytes = 3800 // of a session in one cookie
)

// CookiesOf are those of a client.
func CookiesOf(rules *config.OIDCClient) Cookies { return newCookies(rules.Cookie, rules.Insecure) }

// newCookies names them. Without insecure they have the prefix by which browsers take them
// over TLS only, for this host only (RFC 6265bis 4.1.3.2).
func newCookies(name string, insecure bool) (c Cookies) {
	c.insecure = insecure
	if !insecure {
		name = "__Host-" + name
	}
	c.names[0] = name
	for i := range c.names[1:] {
		c.names[i+1] = name + "-" + strconv.Itoa(i+1)
	}
	for i := range c.login {
		c.login[i] = name + "-login-" + strconv.Itoa(i)
	}
	return c
}

// line is the value of a Set-Cookie field. A time that is over has the browser forget the
// cookie.
func (c *Cookies) line(name, value string, keep time.Duration) string {
	line := name + "=" + value + "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + strconv.Itoa(max(0, int(keep.Seconds())))
	if !c.insecure {
		line += "; Secure"
	}
	return line
}

// split writes a session's cookies, and has those forgotten that it doesn't need. The
// first says how many there are.
func (c *Cookies) split(sealed string, keep time.Duration) (lines []string, err error) {
	n := (len(sealed) + cookieBytes - 1) / cookieBytes
	if n > MostCookies {
		return nil, &TooLargeError{len(sealed)}
	}
	for i, name := range c.names {
		if i >= n {
			lines = append(lines, c.line(name, "", 0))
			continue
		}
		part := sealed[i*cookieBytes : min((i+1)*cookieBytes, len(sealed))]
		if i == 0 {
			part = strconv.Itoa(n) + "." + part
		}
		lines = append(lines, c.line(name, part, keep))
	}
	return lines, nil
}

// Forget has a browser forget the session.
func (c *Cookies) Forget() (lines []string) {
	for _, name := range c.names {
		lines = append(lines, c.line(name, "", 0))
	}
	return lines
}

// Parts finds the cookies of a session, views of the request; 0 if it has none.
func (c *Cookies) Parts(r *request.Request, parts *[MostCookies][]byte) (n int) {
	first, ok := r.Cookie(c.names[0])
	if !ok || len(first) < 2 || first[0] < '1' || first[0] > '0'+MostCookies || first[1] != '.' {
		return 0
	}
	n, parts[0] = int(first[0]-'0'), first[2:]
	for i := 1; i < n; i++ {
		if parts[i], ok = r.Cookie(c.names[i]); !ok {
			return 0
		}
	}
	return n
}

// Own reports whether a cookie is one of the client's, which upstreams needn't get.
func (c *Cookies) Own(name []byte) bool {
	base := c.names[0]
	if len(name) < len(base) || string(name[:len(base)]) != base {
		return false
	}
	for _, own := range c.names {
		if string(name) == own {
			return true
		}
	}
	for _, own := range c.login {
		if string(name) == own {
			return true
		}
	}
	return false
}

// free returns the login cookie that a new one is put into: one that the request doesn't
// have, so that logins in several tabs don't disturb each other.
func (c *Cookies) free(r *request.Request, otherwise byte) int {
	for i, name := range c.login {
		if _, ok := r.Cookie(name); !ok {
			return i
		}
	}
	return int(otherwise) % len(c.login)
}

// slot is the login cookie that a state says it is in.
func slot(state string) (int, bool) {
	at := strings.IndexByte("012", state[0])
	return at, at >= 0 && at < mostLogins
}
