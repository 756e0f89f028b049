package oidc

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// Keys encrypt the content of cookies (XChaCha20-Poly1305, whose nonces are long enough to
// be drawn at random by any number of gateways). The first of them encrypts and each
// decrypts, so that a new one can be distributed before it is used. They are immutable.
type Keys struct{ list []key }

// key is one of them. Its name says which one a cookie was encrypted with, so that cookies
// of strangers aren't tried with all.
type key struct {
	name [nameSize]byte
	aead cipher.AEAD
}

const (
	nameSize = 4
	mostKeys = 16
)

// errSealed is of a cookie that wasn't encrypted here for this, or with a key that is gone.
var errSealed = errors.New("it can't be decrypted")

// ParseKeys reads a file of keys: one a line, 32 random bytes in base64 or in hexadecimal
// digits; lines that begin with # and empty ones are left out. Messages hold no keys.
func ParseKeys(b []byte) (*Keys, error) {
	k := &Keys{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		secret, ok := decodeKey(string(line))
		if !ok {
			return nil, fmt.Errorf("line %d: expected 32 random bytes in base64, as openssl rand -base64 32 writes them", n)
		}
		aead, err := chacha20poly1305.NewX(secret)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		sum := sha256.Sum256(append([]byte("the name of the key "), secret...))
		one := key{name: [nameSize]byte(sum[:nameSize]), aead: aead}
		if k.find(one.name[:]) != nil {
			return nil, fmt.Errorf("line %d: the key is there twice", n)
		}
		if k.list = append(k.list, one); len(k.list) > mostKeys {
			return nil, fmt.Errorf("line %d: there are more than %d keys", n, mostKeys)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(k.list) == 0 {
		return nil, errors.New("it holds no key")
	}
	return k, nil
}

// decodeKey reads a key as tools write them.
func decodeKey(text string) ([]byte, bool) {
	if b, err := hex.DecodeString(text); err == nil && len(b) == chacha20poly1305.KeySize {
		return b, true
	}
	for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := coding.DecodeString(text); err == nil && len(b) == chacha20poly1305.KeySize {
			return b, true
		}
	}
	return nil, false
}

func (k *Keys) find(name []byte) *key {
	for i := range k.list {
		if string(k.list[i].name[:]) == string(name) {
			return &k.list[i]
		}
	}
	return nil
}

// Seal encrypts a text for one purpose; it can be opened for that one only. What it
// returns may stand in a cookie.
func (k *Keys) Seal(purpose string, text []byte) string {
	with := &k.list[0]
	size := nameSize + chacha20poly1305.NonceSizeX
	b := make([]byte, size, size+len(text)+chacha20poly1305.Overhead)
	copy(b, with.name[:])
	_, _ = rand.Read(b[nameSize:size]) // it never fails (crypto/rand)
	b = with.aead.Seal(b, b[nameSize:size], text, []byte(purpose))
	return base64.RawURLEncoding.EncodeToString(b)
}

// Open decrypts what [Keys.Seal] made with one of the keys for that purpose.
func (k *Keys) Open(purpose string, sealed []byte) ([]byte, error) {
	b := make([]byte, base64.RawURLEncoding.DecodedLen(len(sealed)))
	n, err := base64.RawURLEncoding.Strict().Decode(b, sealed)
	size := nameSize + chacha20poly1305.NonceSizeX
	if err != nil || n < size+chacha20poly1305.Overhead {
		return nil, errSealed
	}
	with := k.find(b[:nameSize])
	if with == nil {
		return nil, errSealed
	}
	text, err := with.aead.Open(b[size:size], b[nameSize:size], b[size:n], []byte(purpose))
	if err != nil {
		return nil, errSealed
	}
	return text, nil
}
