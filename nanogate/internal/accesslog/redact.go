package accesslog

import (
	"bytes"
	"slices"
	"strings"

	"dyno.example/nano/wire/http1"
)

// redacted stands in place of what the log must not hold.
const redacted = "REDACTED"

// Parameters of a query whose names are these, or hold one of those, are secrets: OAuth
// 2.0 (RFC 6749, RFC 7636, RFC 9700), OpenID Connect, signed URLs of S3, GCS and Azure,
// and names in common use.
var (
	secretNames = []string{"key", "sig", "auth", "code", "jwt", "pwd", "pass", "sid", "otp", "pin", "assertion", "ticket", "saml", "samlresponse", "code_verifier", "client_assertion"}
	secretParts = []string{"token", "secret", "passw", "passphrase", "credential", "signature", "apikey", "api_key", "api-key", "session", "authorization", "bearer", "private"}
)

// IsSecret reports whether the value of a parameter of this name is a secret, which must
// not be written down. more are further names, in lower case.
func IsSecret(key []byte, more []string) bool {
	if bytes.IndexByte(key, '%') >= 0 || bytes.IndexByte(key, '+') >= 0 {
		decoded, ok := http1.AppendUnescapedQuery(nil, key)
		if !ok {
			return true // whatever that is
		}
		key = decoded
	}
	name := strings.ToLower(string(key))
	if slices.Contains(secretNames, name) || slices.Contains(more, name) {
		return true
	}
	return slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(name, part) })
}

// AppendQuery appends a query without its secrets' values.
func AppendQuery(dst, query []byte, more []string) []byte {
	for len(query) > 0 {
		end := bytes.IndexAny(query, "&;")
		if end < 0 {
			end = len(query)
		}
		pair := query[:end]
		if at := bytes.IndexByte(pair, '='); at >= 0 && IsSecret(pair[:at], more) {
			dst = append(append(dst, pair[:at+1]...), redacted...)
		} else {
			dst = append(dst, pair...)
		}
		if end < len(query) {
			dst = append(dst, query[end])
			end++
		}
		query = query[end:]
	}
	return dst
}

// appendURL appends a URL, such as a Referer's, without a password and the secrets of
// its query.
func appendURL(dst, url []byte, more []string) []byte {
	url, _, _ = bytes.Cut(url, []byte("#"))
	before, query, found := bytes.Cut(url, []byte("?"))
	if scheme, rest, ok := bytes.Cut(before, []byte("://")); ok {
		authority, path, slash := bytes.Cut(rest, []byte("/"))
		if at := bytes.LastIndexByte(authority, '@'); at >= 0 {
			dst = append(append(append(dst, scheme...), "://"+redacted...), authority[at:]...)
			if before = nil; slash {
				dst = append(append(dst, '/'), path...)
			}
		}
	}
	dst = append(dst, before...)
	if found {
		dst = AppendQuery(append(dst, '?'), query, more)
	}
	return dst
}
