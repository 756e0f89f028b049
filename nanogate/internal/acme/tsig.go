package acme

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// tsig is a key that updates of the DNS are signed with (RFC 8945).
type tsig struct{ name, algorithm, secret string }

// tsigAlgorithms are those that a key may be for: RFC 8945 6 has the older ones not used.
var tsigAlgorithms = []string{"hmac-sha256", "hmac-sha384", "hmac-sha512"}

// shortestTSIG is how many bytes a secret must have so that it can't be guessed.
const shortestTSIG = 16

// Base64 has slashes, so that two of them begin a comment only where a word may begin.
var (
	tsigComments = regexp.MustCompile(`(?m)(^|\s)(//|#).*$`)
	tsigKey      = regexp.MustCompile(`^\s*key\s+"?([A-Za-z0-9._-]+)"?\s*\{([^{}]*)\}\s*;?\s*$`)
	tsigField    = regexp.MustCompile(`^\s*(algorithm|secret)\s+"?([A-Za-z0-9+/=-]+)"?\s*$`)
)

func readTSIG(path string) (tsig, error) {
	b, err := readFile(path)
	if err != nil {
		return tsig{}, err
	}
	key, err := parseTSIG(string(b))
	if err != nil {
		return tsig{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// parseTSIG reads a key as tsig-keygen and BIND's configuration write it. Messages hold
// nothing of it.
func parseTSIG(text string) (key tsig, err error) {
	m := tsigKey.FindStringSubmatch(tsigComments.ReplaceAllString(text, ""))
	if m == nil {
		return tsig{}, errors.New(`expected one key, as tsig-keygen writes it: key "name" { algorithm hmac-sha256; secret "…"; };`)
	}
	key.name = m[1]
	for statement := range strings.SplitSeq(m[2], ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		f := tsigField.FindStringSubmatch(statement)
		switch {
		case f == nil:
			return tsig{}, errors.New("a key has an algorithm and a secret, in base64, and nothing else")
		case f[1] == "algorithm" && key.algorithm == "":
			key.algorithm = strings.ToLower(f[2])
		case f[1] == "secret" && key.secret == "":
			key.secret = f[2]
		default:
			return tsig{}, fmt.Errorf("the %s is there twice", f[1])
		}
	}
	if !slices.Contains(tsigAlgorithms, key.algorithm) {
		return tsig{}, fmt.Errorf("expected one of the algorithms %s", strings.Join(tsigAlgorithms, ", "))
	}
	secret, err := base64.StdEncoding.DecodeString(key.secret)
	if err != nil || len(secret) < shortestTSIG {
		return tsig{}, fmt.Errorf("expected a secret of at least %d bytes in base64", shortestTSIG)
	}
	return key, nil
}
