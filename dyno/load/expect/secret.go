package expect

import (
	"slices"
	"strings"
)

// secretWords are parts of names whose values are secrets.
var secretWords = []string{
	"authorization", "x-auth", "cookie", "token", "secret", "password", "passwd", "passphrase", "api-key", "api_key", "apikey", "private",
	"credential", "session", "jwt", "assertion", "signature", "access-key", "access_key", "accesskey", "account-key", "account_key",
}

// secretEnds are the last words of such names, if they have several: --key is a file.
var secretEnds = []string{"key", "dsn", "pwd", "pass"}

// plainKeys are names that end so and whose values are no secrets.
var plainKeys = []string{"sec-websocket-key", "idempotency-key", "surrogate-key", "cache-key", "x-cache-key", "partition-key", "routing-key"}

// IsSecret reports whether the name of a header or environment variable says
// that its value is a secret, so that it must not be shown.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	if slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) }) {
		return true
	}
	return !slices.Contains(plainKeys, strings.ReplaceAll(name, "_", "-")) && slices.ContainsFunc(secretEnds, func(end string) bool { return endsIn(name, end) })
}

// endsIn reports whether a name ends in a word behind a hyphen, an underscore or a dot.
func endsIn(name, word string) bool {
	rest, found := strings.CutSuffix(name, word)
	return found && rest != "" && strings.ContainsAny(rest[len(rest)-1:], "-_.")
}
