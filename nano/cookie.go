package nano

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// SameSite selects the cross-site requests that a cookie is sent with.
type SameSite uint8

const (
	SameSiteLax    SameSite = iota // with navigation only; the default
	SameSiteStrict                 // never
	SameSiteNone                   // always; needs Secure
)

// Cookie is a cookie for the client to keep (RFC 6265, and its revision for
// SameSite). It is HttpOnly and SameSite=Lax unless said otherwise.
type Cookie struct {
	Name  string // a token; "__Host-" and "__Secure-" are held to their rules
	Value string // of cookie-octets: no spaces, quotes, commas, semicolons, backslashes
	// Path and Domain limit where it is sent; empty means the directory of the
	// request, and this host only.
	Path, Domain string
	// Expires and MaxAge end it; both zero means with the browser's session. A
	// negative MaxAge deletes it.
	Expires time.Time
	MaxAge  time.Duration

	Secure      bool // by TLS only
	ForScripts  bool // leave out HttpOnly
	SameSite    SameSite
	Partitioned bool // one jar per top-level site; needs Secure
}

// SetCookie adds a cookie to the response. It panics if the cookie can't be sent, as
// SetHeader does; [Cookie.Check] checks it before.
func (c Ctx) SetCookie(cookie Cookie) {
	x := c.own()
	if err := cookie.Check(); err != nil {
		panic("nano: " + err.Error())
	}
	x.Fields = append(cookie.append(append(x.Fields, "Set-Cookie: "...)), "\r\n"...)
}

// Check says why the cookie can't be sent, or would be refused by browsers.
func (c *Cookie) Check() error {
	var why string
	host := strings.HasPrefix(c.Name, "__Host-")
	switch {
	case !http1.ValidToken(c.Name):
		why = "the name is not a token"
	case !validCookieValue(c.Value):
		why = "the value holds what a cookie can't; encode it, as base64.RawURLEncoding does"
	case !validAttribute(c.Path) || c.Path != "" && c.Path[0] != '/':
		why = "the path must begin with a slash, without semicolons and control characters"
	case !validDomain(c.Domain):
		why = "the domain is not a host name"
	case c.SameSite > SameSiteNone:
		why = "unknown SameSite"
	case !c.Secure && (c.SameSite == SameSiteNone || c.Partitioned):
		why = "SameSite=None and Partitioned need Secure"
	case !c.Secure && (host || strings.HasPrefix(c.Name, "__Secure-")):
		why = "its prefix needs Secure"
	case host && (c.Path != "/" || c.Domain != ""):
		why = "__Host- needs the path / and no domain"
	case !c.Expires.IsZero() && (c.Expires.Year() < 1601 || c.Expires.Year() > 9999):
		why = "the year it expires can't be sent"
	default:
		return nil
	}
	return fmt.Errorf("cookie %q can't be sent: %s", c.Name, why)
}

// append appends the value of Set-Cookie.
func (c *Cookie) append(b []byte) []byte {
	b = append(append(append(b, c.Name...), '='), c.Value...)
	if c.Path != "" {
		b = append(append(b, "; Path="...), c.Path...)
	}
	if c.Domain != "" {
		b = append(append(b, "; Domain="...), c.Domain...)
	}
	if !c.Expires.IsZero() {
		b = http1.AppendDate(append(b, "; Expires="...), c.Expires.Unix())
	}
	if c.MaxAge != 0 {
		b = strconv.AppendInt(append(b, "; Max-Age="...), maxAge(c.MaxAge), 10)
	}
	if !c.ForScripts {
		b = append(b, "; HttpOnly"...)
	}
	if c.Secure {
		b = append(b, "; Secure"...)
	}
	b = append(b, "; SameSite="...)
	b = append(b, [...]string{"Lax", "Strict", "None"}[c.SameSite]...)
	if c.Partitioned {
		b = append(b, "; Partitioned"...)
	}
	return b
}

// maxAge returns whole seconds: less than one is one, for 0 would delete.
func maxAge(d time.Duration) int64 {
	if d < 0 {
		return 0
	}
	return int64(max(d, time.Second) / time.Second)
}

// Cookie returns the value of the first cookie of that name as it was sent,
// without quotes around it; nil if there is none.
func (c Ctx) Cookie(name string) View {
	v, _ := c.live().cookie(name)
	return View(v)
}

// cookie looks up a cookie of the request.
func (x *liveRequest) cookie(name string) (value []byte, ok bool) {
	for i := range x.Req.Fields {
		f := &x.Req.Fields[i]
		if !exchange.SameName(f.Name.Of(x.Buf), "cookie") {
			continue
		}
		for n, v := range cookies(f.Value.Of(x.Buf)) {
			if string(n) == name {
				return v, true
			}
		}
	}
	return nil, false
}

// cookies goes through the value of a Cookie field (RFC 6265 4.2.1). What is not
// a cookie by the grammar is passed over, as servers have to.
func cookies(text []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for len(text) > 0 {
			one := text
			if i := bytes.IndexByte(text, ';'); i >= 0 {
				one, text = text[:i], text[i+1:]
			} else {
				text = nil
			}
			one = bytes.Trim(one, " \t")
			i := bytes.IndexByte(one, '=')
			if i <= 0 || !http1.ValidToken(one[:i]) {
				continue
			}
			value := one[i+1:]
			if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
				value = value[1 : n-1]
			}
			if validCookieValue(value) && !yield(one[:i], value) {
				return
			}
		}
	}
}

// validCookieValue: cookie-octets (RFC 6265 4.1.1).
func validCookieValue[T string | []byte](s T) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || c == '"' || c == ',' || c == ';' || c == '\\' {
			return false
		}
	}
	return true
}

func validAttribute(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f || s[i] == ';' {
			return false
		}
	}
	return true
}

func validDomain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.') {
			return false
		}
	}
	return s == "" || s[0] != '.' && s[0] != '-'
}

// CookieSigner signs the values of cookies, so that clients can read but not
// change them. Keys are secrets of at least 32 random bytes.
type CookieSigner struct{ keys [][]byte }

// NewCookieSigner returns a signer. It signs with the first key and accepts all:
// put a new key in front to replace an old one.
func NewCookieSigner(keys ...[]byte) (*CookieSigner, error) {
	if len(keys) == 0 {
		return nil, errors.New("nano: signing cookies needs a key")
	}
	for _, k := range keys {
		if len(k) < sha256.Size {
			return nil, errors.New("nano: a key for signing cookies needs 32 bytes or more")
		}
	}
	return &CookieSigner{keys}, nil
}

// Set sends the cookie with a signature (HMAC-SHA-256 of name and value) behind
// its value, which may be any text. It panics as [Ctx.SetCookie] does.
func (s *CookieSigner) Set(c Ctx, cookie Cookie) {
	value := base64.RawURLEncoding.EncodeToString([]byte(cookie.Value))
	cookie.Value = value + "." + base64.RawURLEncoding.EncodeToString(sum(s.keys[0], cookie.Name, value))
	c.SetCookie(cookie)
}

// Get returns the value of a cookie that was signed under this name; false if
// there is none or its signature is wrong. It does not know how old it is.
func (s *CookieSigner) Get(c Ctx, name string) (string, bool) {
	sent, found := c.live().cookie(name)
	value, signature, _ := strings.Cut(string(sent), ".")
	signed, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if !found || err != nil {
		return "", false
	}
	for _, key := range s.keys {
		if hmac.Equal(signed, sum(key, name, value)) {
			text, err := base64.RawURLEncoding.DecodeString(value)
			return string(text), err == nil
		}
	}
	return "", false
}

func sum(key []byte, name, value string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(name + "=" + value)) // "=" is in no name
	return h.Sum(nil)
}
