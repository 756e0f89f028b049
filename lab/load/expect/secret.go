package expect

import (
	"slices"
	"strings"
)

// secretWords are parts of names whose values are secrets.
var secretWords = []string{"authorization", "x-auth", "cookie", "token", "secret", "password", "passwd", "api-key", "api_key", "apikey", "private", "credential", "session"}

// IsSecret reports whether the name of a header or environment variable says
// that its value is a secret, so that it must not be shown.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}
