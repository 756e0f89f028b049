package guard

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/refresh"
	"dyno.example/nanogate/internal/request"
)

// Keys admits requests with a key in a file. A client with too many unknown ones is refused
// without a lookup: only keys that it has used successfully before pass then.
type Keys struct {
	rules            config.Keys
	file             *refresh.Source[keyNames]
	missing, unknown *request.Reply
	keeps            bool // claims, if a later rule or middleware needs them
	failures         *limit.Failures
	verified         *verified // keys that were right, with the client that had them
}

// KeepClaims has requests keep what was verified of them.
func (k *Keys) KeepClaims() { k.keeps = true }

// keyNames are names by the SHA-256 of their keys: how long it takes to find none says
// nothing about the keys there are.
type keyNames map[[sha256.Size]byte][]byte

// shortestKey is how many bytes a key must have so that it can't be guessed.
const shortestKey = 16

// mostKeysKept is how many keys are remembered that were right, with their clients.
const mostKeysKept = 10_000

// NewKeys makes the guard. A file that can't be used is an error.
func NewKeys(rules *config.Keys) (*Keys, error) {
	file, err := refresh.File(rules.File, parseKeys)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return &Keys{
		rules: *rules, file: file, failures: limit.NewFailures(rules.Failures), verified: newVerified(mostKeysKept),
		missing: request.Refuse(401, "missing API key in the field "+rules.Header, "WWW-Authenticate: ApiKey\r\n").For(request.RefusedNoKey),
		unknown: request.Refuse(401, "the key in the field "+rules.Header+" is not known", "WWW-Authenticate: ApiKey\r\n").For(request.RefusedKey),
	}, nil
}

// parseKeys reads a file of keys: "name: key" a line, those that begin with # and empty
// ones left out. Messages don't hold keys.
func parseKeys(b []byte) (*keyNames, error) {
	keys := keyNames{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, key, found := strings.Cut(line, ":")
		name, key = strings.TrimSpace(name), strings.TrimSpace(key)
		hash := sha256.Sum256([]byte(key))
		switch {
		case !found || name == "" || !http1.ValidFieldValue(name):
			return nil, fmt.Errorf("line %d: expected \"name: key\"", n)
		case len(key) < shortestKey || !http1.ValidFieldValue(key):
			return nil, fmt.Errorf("line %d: the key of %q must have at least %d characters, and none of control", n, name, shortestKey)
		case keys[hash] != nil:
			return nil, fmt.Errorf("line %d: the key of %q is that of %q", n, name, keys[hash])
		}
		keys[hash] = []byte(name)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, errors.New("it holds no key")
	}
	return &keys, nil
}

// Check refuses requests without a known key. The key goes no further.
func (k *Keys) Check(r *request.Request) *request.Reply {
	key, ok := r.Header(k.rules.Header)
	if !ok {
		return k.missing
	}
	now, sum := k.file.Get(), sha256.Sum256(key)
	name, ok := (*now)[sum]
	if reply := k.refuse(r, sum, now, ok); reply != nil {
		return reply
	}
	r.Drop(k.rules.Header)
	if k.keeps {
		r.Verified("keys", request.Claims{"name": string(name)})
	}
	if k.rules.Forward != "" {
		r.Forward(k.rules.Forward, name)
	}
	return nil
}

// refuse counts unknown keys, and returns the response to a key that is unknown, or
// isn't looked up as it may have been guessed; nil: it passes.
func (k *Keys) refuse(r *request.Request, sum [sha256.Size]byte, now *keyNames, known bool) *request.Reply {
	client := network(r.Client)
	if !known {
		if reply := k.failures.Take(client, nil, r.Now); reply != nil {
			return reply
		}
		return k.unknown
	}
	var had [len(sum) + addressBytes]byte
	copy(had[:], sum[:])
	if at := client.As16(); client.IsValid() {
		copy(had[len(sum):], at[:])
	}
	if k.verified.find(had[:], now, time.Time{}) != nil {
		return nil
	}
	if reply := k.failures.Blocked(client, r.Now); reply != nil {
		return reply
	}
	k.verified.keep(had[:], &credential{with: now})
	return nil
}

// Close ends watching the file.
func (k *Keys) Close() { k.file.Close() }
