package nano

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

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
