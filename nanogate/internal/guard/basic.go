package guard

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/netip"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/refresh"
	"dyno.example/nanogate/internal/request"
)

// Basic admits users with a password in a file (RFC 7617). Verifying one is slow by design,
// so that it isn't done on a loop: the request waits. Valid credentials are remembered by a
// keyed hash, with their client, and pass at once until the file changes. A client with too
// many wrong ones is refused without verification: only credentials that it has used
// successfully before pass then.
type Basic struct {
	rules    config.Basic
	file     *refresh.Source[passwords]
	verified *verified
	secret   [32]byte // of the keyed hash

	waiting  clientLimiter // requests whose passwords are being verified
	failures *limit.Failures

	missing, wrong, crowded, undecided *request.Reply

	keeps bool // claims, if a later rule or middleware needs them
}

// KeepClaims has requests keep what was verified of them.
func (b *Basic) KeepClaims() { b.keeps = true }

const (
	verifyWithin   = 5 * time.Second // the wait for its turn included
	waitingEach    = 8               // passwords of one client's address that are verified at once, so that no client takes all the room
	mostCredential = 512             // bytes of user, colon and password
)

// NewBasic makes the guard. A file that can't be used is an error.
func NewBasic(rules *config.Basic) (*Basic, error) {
	file, err := refresh.File(rules.File, parsePasswords)
	if err != nil {
		return nil, fmt.Errorf("basic: %w", err)
	}
	challenge := "WWW-Authenticate: Basic realm=\"" + rules.Realm + "\", charset=\"UTF-8\"\r\n"
	b := &Basic{
		rules: *rules, file: file, verified: newVerified(rules.Cache), waiting: newClientLimiter(waitingEach), failures: limit.NewFailures(rules.Failures),
		missing:   request.Refuse(401, "a user name and a password are required", challenge).For(request.RefusedNoPassword),
		wrong:     request.Refuse(401, "wrong user name or password", challenge).For(request.RefusedPassword),
		crowded:   request.Refuse(429, "too many passwords at once", "Retry-After: 1\r\n").For(request.RefusedPasswordCrowd),
		undecided: request.Refuse(503, "passwords can't be verified at the moment", "Retry-After: 1\r\n").For(request.RefusedPasswordUndecided),
	}
	if _, err := rand.Read(b.secret[:]); err != nil {
		file.Close()
		return nil, fmt.Errorf("basic: %w", err)
	}
	return b, nil
}

// Check refuses requests without a password that is right. It goes no further unless the
// rules say so.
func (b *Basic) Check(r *request.Request) *request.Reply {
	const from = len(b.secret) + addressBytes
	var buf [from + mostCredential]byte
	text := b.credentials(r, buf[from:])
	if text == nil {
		return b.missing
	}
	user, password, found := bytes.Cut(text, []byte(":"))
	if !found || hasControl(text) {
		return b.wrong
	}
	client := network(r.Client)
	copy(buf[:], b.secret[:])
	if at := client.As16(); client.IsValid() {
		copy(buf[len(b.secret):], at[:])
	}
	sum := sha256.Sum256(buf[:from+len(text)])
	now := b.file.Get()
	if b.verified.find(sum[:], now, time.Time{}) != nil {
		b.pass(r, user)
		return nil
	}
	if reply := b.failures.Take(client, user, r.Now); reply != nil {
		return reply
	}
	return b.later(client, now, sum, bytes.Clone(user), bytes.Clone(password))
}

// later has a password verified beside the loops.
func (b *Basic) later(client netip.Addr, now *passwords, sum [sha256.Size]byte, user, password []byte) *request.Reply {
	if !b.waiting.enter(client) {
		b.failures.Give(client, user)
		return b.crowded
	}
	a, wrong := *b.undecided, false
	a.Deferred = &request.Deferred{
		Within: verifyWithin,
		Over: func() {
			b.waiting.leave(client)
			if !wrong {
				b.failures.Give(client, user)
			}
		},
		Work: func(context.Context) func(*request.Request) *request.Reply {
			right := now.verify(string(user), password)
			clear(password)
			if right {
				b.verified.keep(sum[:], now.right)
			}
			wrong = !right
			return func(r *request.Request) *request.Reply {
				if !right {
					return b.wrong
				}
				b.pass(r, user)
				return nil
			}
		},
	}
	return &a
}

// pass forwards the user to the upstream.
func (b *Basic) pass(r *request.Request, user []byte) {
	if b.keeps {
		r.Verified("basic", request.Claims{"user": string(user)})
	}
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

// Close ends watching the file.
func (b *Basic) Close() { b.file.Close() }
