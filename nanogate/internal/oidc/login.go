package oidc

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"time"

	lib "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"dyno.example/nanogate/internal/request"
)

// Login is a login that was begun. It is encrypted in a cookie of the browser that
// began it, so that no other browser can complete it, and is valid for one response of
// the provider.
type Login struct {
	State    string `json:"s"` // RFC 6749 10.12; begins with the number of its cookie
	Nonce    string `json:"n"` // that the ID token must have (OpenID Connect Core 1.0, 15.5.2)
	Verifier string `json:"v"` // RFC 7636
	Callback string `json:"c"` // absolute
	Back     string `json:"b"` // where the browser goes afterwards, on the same origin
	Until    int64  `json:"u"` // Unix time
}

const (
	loginTime = 10 * time.Minute
	mostBack  = 1024 // bytes of where a browser goes back to
)

// ErrUnknownLogin is for an authorization response to a login that this browser hasn't
// begun, has completed, or began too long ago.
var ErrUnknownLogin = errors.New("this login wasn't begun in this browser, or is over")

// Begin begins a login: location is where the browser is sent, cookie the value of a
// Set-Cookie field. It returns false as long as nothing is known of the provider. back must
// be safe ([SafeTarget]).
func (c *Client) Begin(r *request.Request, back string) (location, cookie string, ok bool) {
	p := c.provider.Get()
	if p == nil {
		return "", "", false
	}
	state := rand.Text()
	at := c.Cookies.free(r, state[0])
	login := &Login{
		State: strconv.Itoa(at) + state, Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Callback: c.Origin(r) + c.rules.Callback, Back: back, Until: c.now().Add(loginTime).Unix(),
	}
	b, err := json.Marshal(login)
	if err != nil {
		return "", "", false
	}
	cookie = c.Cookies.line(c.Cookies.login[at], c.keys.Get().Seal(c.purpose+"login", b), loginTime)
	return c.config(p, login.Callback).AuthCodeURL(login.State, lib.Nonce(login.Nonce), oauth2.S256ChallengeOption(login.Verifier)), cookie, true
}

// Origin is the gateway's as the browser has it.
func (c *Client) Origin(r *request.Request) string {
	switch {
	case c.rules.Origin != "":
		return c.rules.Origin
	case r.Secure:
		return "https://" + string(r.Authority())
	}
	return "http://" + string(r.Authority())
}

// Begun finds the login that a state belongs to, and what has the browser forget it.
func (c *Client) Begun(r *request.Request, state string) (login *Login, forget string, err error) {
	if state == "" {
		return nil, "", ErrUnknownLogin
	}
	at, ok := slot(state)
	if !ok {
		return nil, "", ErrUnknownLogin
	}
	name := c.Cookies.login[at]
	sealed, ok := r.Cookie(name)
	if !ok {
		return nil, "", ErrUnknownLogin
	}
	b, err := c.keys.Get().Open(c.purpose+"login", sealed)
	if err != nil {
		return nil, "", ErrUnknownLogin
	}
	login = &Login{}
	if err := json.Unmarshal(b, login); err != nil || !equal(login.State, state) || c.now().Unix() >= login.Until {
		return nil, "", ErrUnknownLogin
	}
	return login, c.Cookies.line(name, "", 0), nil
}

// SaysIssuer reports whether the issuer in an authorization response is the provider's, or
// missing where the provider doesn't send one (RFC 9207 2.4): a response of another
// provider isn't accepted.
func (c *Client) SaysIssuer(said string) bool {
	if said != "" {
		return said == c.rules.Issuer
	}
	p := c.provider.Get()
	return p != nil && !p.says.SaysIssuer
}

// SafeTarget reports whether a browser that is sent to a target stays on the origin: a
// path, and nothing that browsers read in another way than this does (the URL standard has
// them take a backslash for a slash, and leave out tabs and line ends).
func SafeTarget(target string) bool {
	if len(target) == 0 || len(target) > mostBack || target[0] != '/' || len(target) > 1 && target[1] == '/' {
		return false
	}
	for i := range len(target) {
		if b := target[i]; b <= ' ' || b > '~' || b == '\\' {
			return false
		}
	}
	u, err := url.Parse(target)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil
}

// equal compares secrets in constant time.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
