package middleware

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"dyno.example/nano"
)

// KeyAuthConfig is how [KeyAuth] works. One of Keys and Check is needed.
type KeyAuthConfig struct {
	// Keys maps keys to the names of their owners. They are kept as keyed hashes.
	Keys map[string]string
	// Check decides instead, and names the owner of the key. The time it takes must not
	// depend on the bytes of the key.
	Check func(c nano.Ctx, key string) (name string, ok bool, err error)
	// Header is the field that holds the key; default "X-API-Key". "Authorization" takes
	// the credentials behind Scheme.
	Header string
	// Scheme is that of Header "Authorization"; default "Bearer".
	Scheme string
	// Query is a parameter of the query that may hold the key instead; none by default, as
	// targets are written to logs.
	Query string
}

// KeyOwner is the name of the owner of the key that [KeyAuth] has accepted.
var KeyOwner = nano.NewKey[string]("key owner")

// maxKey bounds what is compared, in bytes.
const maxKey = 1 << 10

// KeyAuth admits requests with a known key, and refuses all others with 401. Keys are
// compared as hashes in constant time. Use it over TLS only.
func KeyAuth(config KeyAuthConfig) nano.Middleware {
	if (config.Keys == nil) == (config.Check == nil) {
		panic("middleware: KeyAuthConfig needs Keys or Check, and not both")
	}
	if config.Header == "" {
		config.Header = "X-API-Key"
	}
	if config.Scheme == "" {
		config.Scheme = "Bearer"
	}
	if config.Check == nil {
		config.Check = keyChecker(config.Keys)
	}
	challenge := config.Scheme
	if !strings.EqualFold(config.Header, "Authorization") {
		challenge = "Key" // RFC 9110 11.6.1 wants a challenge with every 401
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			name, ok, err := "", false, error(nil)
			if key := config.keyOf(c); key != "" && len(key) <= maxKey {
				name, ok, err = config.Check(c, key)
			}
			if err != nil {
				return err
			}
			if !ok {
				c.SetHeader("WWW-Authenticate", challenge)
				return nano.NewProblem(401, "")
			}
			KeyOwner.Set(c, name)
			return next(c)
		}
	}
}

// keyOf is the key that came with the request, "" if none did.
func (k *KeyAuthConfig) keyOf(c nano.Ctx) string {
	key := c.Header(k.Header).String()
	if strings.EqualFold(k.Header, "Authorization") {
		scheme, rest, _ := strings.Cut(key, " ")
		key = ""
		if strings.EqualFold(scheme, k.Scheme) {
			key = strings.TrimLeft(rest, " ")
		}
	}
	if key == "" && k.Query != "" {
		key = c.Query(k.Query).String()
	}
	return key
}

// keyChecker compares with all keys, so that the time doesn't reveal which is close.
func keyChecker(keys map[string]string) func(nano.Ctx, string) (string, bool, error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	hash := func(key string) (sum [sha256.Size]byte) {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(key))
		h.Sum(sum[:0])
		return sum
	}
	type entry struct {
		sum  [sha256.Size]byte
		name string
	}
	var entries []entry
	for key, name := range keys {
		if key == "" || len(key) > maxKey {
			panic("middleware: the key of " + name + " in KeyAuthConfig is empty or longer than 1 KiB")
		}
		entries = append(entries, entry{hash(key), name})
	}
	return func(_ nano.Ctx, key string) (name string, ok bool, err error) {
		given := hash(key)
		for i := range entries {
			if subtle.ConstantTimeCompare(given[:], entries[i].sum[:]) == 1 {
				name, ok = entries[i].name, true
			}
		}
		return name, ok, nil
	}
}
