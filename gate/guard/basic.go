package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/nano/wire/http1"
)

// Basic lets in who has a password of a file (RFC 7617). Verifying one takes long by
// design, so that it isn't done on a loop: the request waits. Credentials that were
// right are remembered by a keyed hash, and pass at once, until the file changes.
type Basic struct {
	rules    config.Basic
	file     *refreshed[passwords]
	verified *verified
	secret   [32]byte // of the keyed hash

	mu      sync.Mutex
	waiting map[netip.Addr]int // requests of each client whose passwords are being verified

	missing, wrong, crowded, undecided *request.Answer
}

const (
	verifyWithin   = 5 * time.Second // the wait for its turn included
	waitingEach    = 8               // passwords of one client's address that are verified at once: nobody takes all the room
	mostCredential = 512             // bytes of user, colon and password
)

// NewBasic makes the guard. A file that can't be used is an error.
func NewBasic(rules *config.Basic) (*Basic, error) {
	file, err := read(rules.File, lookAtFiles, parsePasswords)
	if err != nil {
		return nil, fmt.Errorf("basic: %w", err)
	}
	challenge := "WWW-Authenticate: Basic realm=\"" + rules.Realm + "\", charset=\"UTF-8\"\r\n"
	b := &Basic{
		rules: *rules, file: file, verified: newVerified(rules.Cache), waiting: map[netip.Addr]int{},
		missing:   request.Refuse(401, "a user and a password are needed", challenge),
		wrong:     request.Refuse(401, "the user or the password is wrong", challenge),
		crowded:   request.Refuse(429, "too many passwords at once", "Retry-After: 1\r\n"),
		undecided: request.Refuse(503, "passwords can't be verified at the moment", "Retry-After: 1\r\n"),
	}
	if _, err := rand.Read(b.secret[:]); err != nil {
		file.Close()
		return nil, fmt.Errorf("basic: %w", err)
	}
	return b, nil
}

// Check refuses requests without a password that is right. It goes no further unless the
// rules say so.
func (b *Basic) Check(r *request.Request) *request.Answer {
	var buf [len(b.secret) + mostCredential]byte
	text := b.credentials(r, buf[len(b.secret):])
	if text == nil {
		return b.missing
	}
	user, password, found := bytes.Cut(text, []byte(":"))
	if !found || hasControl(text) {
		return b.wrong
	}
	copy(buf[:], b.secret[:])
	sum := sha256.Sum256(buf[:len(b.secret)+len(text)])
	now := b.file.get()
	if b.verified.find(sum[:], now, time.Time{}) != nil {
		b.pass(r, user)
		return nil
	}
	return b.later(network(r.Client), now, sum, string(user), bytes.Clone(password))
}

// later has a password verified beside the loops.
func (b *Basic) later(client netip.Addr, now *passwords, sum [sha256.Size]byte, user string, password []byte) *request.Answer {
	if !b.enter(client) {
		return b.crowded
	}
	a := *b.undecided
	a.Later = &request.Later{
		Within: verifyWithin,
		Over:   func() { b.leave(client) },
		Work: func(context.Context) func(*request.Request) *request.Answer {
			right := now.verify(user, password)
			clear(password)
			if right {
				b.verified.keep(sum[:], now.right)
			}
			return func(r *request.Request) *request.Answer {
				if !right {
					return b.wrong
				}
				b.pass(r, []byte(user))
				return nil
			}
		},
	}
	return &a
}

// pass tells the upstream who it is.
func (b *Basic) pass(r *request.Request, user []byte) {
	if !b.rules.Keep {
		r.Drop("authorization")
	}
	if b.rules.Forward != "" {
		r.Forward(b.rules.Forward, user)
	}
}

// credentials decodes user:password into dst; nil if there are none, or not in one way.
func (b *Basic) credentials(r *request.Request, dst []byte) []byte {
	const scheme = "basic "
	var coded []byte
	fields := 0
	r.Headers("authorization", func(value []byte) bool {
		if fields++; len(value) > len(scheme) && http1.EqualFold(value[:len(scheme)], scheme) {
			coded = bytes.TrimLeft(value[len(scheme):], " ")
		}
		return true
	})
	if fields != 1 || len(coded) == 0 || base64.StdEncoding.DecodedLen(len(coded)) > len(dst) {
		return nil
	}
	n, err := base64.StdEncoding.Decode(dst, coded)
	if err != nil || n == 0 {
		return nil
	}
	return dst[:n]
}

// enter counts a client's passwords that are being verified, and reports whether there
// may be one more.
func (b *Basic) enter(client netip.Addr) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[client] >= waitingEach {
		return false
	}
	b.waiting[client]++
	return true
}

func (b *Basic) leave(client netip.Addr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[client]--; b.waiting[client] <= 0 {
		delete(b.waiting, client)
	}
}

// network is whom an address counts as: of IPv6 a client has a network of 64 bits.
func network(client netip.Addr) netip.Addr {
	client = client.Unmap().WithZone("")
	if client.Is6() {
		prefix, _ := client.Prefix(64) // an IPv6 address has one
		return prefix.Addr()
	}
	return client
}

// Close ends watching the file.
func (b *Basic) Close() { b.file.Close() }
