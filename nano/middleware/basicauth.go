package middleware

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"

	"dyno.example/nano"
)

// BasicAuthConfig is how [BasicAuth] works. One of Users and Check is needed.
type BasicAuthConfig struct {
	// Users maps names to passwords. They are kept as keyed hashes.
	Users map[string]string
	// Check decides instead, for instance with stored bcrypt hashes. It must take
	// as long for a user that doesn't exist as for a wrong password.
	Check func(c nano.Ctx, user, password string) (ok bool, err error)
	// Realm is shown to users; default "restricted".
	Realm string
}

// User is the name that [BasicAuth] has let in.
var User = nano.NewKey[string]("user")

// maxCredentials bounds what is decoded.
const maxCredentials = 4 << 10

// BasicAuth admits requests with a valid name and password (RFC 7617), and refuses all
// others with 401. Names and passwords are compared as hashes in constant time, so that
// the time a response takes reveals nothing of them. Use it over TLS only.
func BasicAuth(config BasicAuthConfig) nano.Middleware {
	if (config.Users == nil) == (config.Check == nil) {
		panic("middleware: BasicAuthConfig needs Users or Check, and not both")
	}
	if config.Realm == "" {
		config.Realm = "restricted"
	}
	if config.Check == nil {
		config.Check = checkerOf(config.Users)
	}
	challenge := `Basic realm=` + strconv.Quote(config.Realm) + `, charset="UTF-8"`
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			user, password, ok := credentials(c.Header("Authorization"))
			if ok {
				var err error
				if ok, err = config.Check(c, user, password); err != nil {
					return err
				}
			}
			if !ok {
				c.SetHeader("WWW-Authenticate", challenge)
				return nano.NewProblem(401, "")
			}
			User.Set(c, user)
			return next(c)
		}
	}
}

// checkerOf compares with all users, so that the time doesn't reveal which exist.
func checkerOf(users map[string]string) func(nano.Ctx, string, string) (bool, error) {
	key := make([]byte, 32)
	rand.Read(key)
	type entry [2 * sha256.Size]byte
	entryOf := func(user, password string) (e entry) {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(user))
		h.Sum(e[:0])
		h.Reset()
		h.Write([]byte(password))
		h.Sum(e[:sha256.Size])
		return e
	}
	var entries []entry
	for user, password := range users {
		if strings.Contains(user, ":") {
			panic("middleware: the user " + strconv.Quote(user) + " of BasicAuth has a colon in its name, which ends it (RFC 7617 2)")
		}
		entries = append(entries, entryOf(user, password))
	}
	return func(_ nano.Ctx, user, password string) (bool, error) {
		given, found := entryOf(user, password), 0
		for i := range entries {
			found |= subtle.ConstantTimeCompare(given[:], entries[i][:])
		}
		return found == 1, nil
	}
}

// credentials reads the Authorization field.
func credentials(v []byte) (user, password string, ok bool) {
	const scheme = "Basic "
	if len(v) < len(scheme) || len(v) > maxCredentials || !strings.EqualFold(string(v[:len(scheme)]), scheme) {
		return "", "", false
	}
	decoded, err := base64.StdEncoding.DecodeString(string(bytes.TrimLeft(v[len(scheme):], " ")))
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}
