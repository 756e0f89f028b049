package guard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
)

// Introspect admits requests with a token that an introspection server says is active (RFC
// 7662). Its response is remembered by a keyed hash of the token, for a while; concurrent
// requests with one token share one introspection.
type Introspect struct {
	Now func() time.Time // the clock; another one may be set before the first request

	rules    config.Introspect
	server   *oidc.Introspector
	verified *verified
	sums     sync.Pool
	secret   [sha256.Size]byte // of the keyed hash
	log      *slog.Logger
	told     bounds.ThrottledLog
	trouble  atomic.Pointer[error] // of the last question; nil: none

	waiting   clientLimiter // questions
	questions singleflight.Group

	missing, lacking, crowded, away *request.Reply
	invalid                         [request.Refusals]*request.Reply // the same for all that is wrong with a token
}

const (
	mostToken     = 8 << 10         // bytes
	questionsEach = 32              // of tokens from one client's address that are introspected at once
	turnWithin    = 5 * time.Second // to wait for one's turn
)

// NewIntrospect makes the guard. A file that can't be used is an error.
func NewIntrospect(rules *config.Introspect, log *slog.Logger) (*Introspect, error) {
	server, err := oidc.NewIntrospector(rules)
	if err != nil {
		return nil, fmt.Errorf("introspect: %w", err)
	}
	g := &Introspect{
		rules: *rules, server: server, verified: newVerified(rules.Cache), Now: time.Now, log: log,
		sums:    sync.Pool{New: func() any { return &summing{hash: sha256.New()} }},
		waiting: newClientLimiter(questionsEach),
		missing: request.Refuse(401, "missing bearer token", "WWW-Authenticate: Bearer\r\n").For(request.RefusedAskedNoToken),
		lacking: request.Refuse(403, "the token does not allow this", "WWW-Authenticate: Bearer error=\"insufficient_scope\"\r\n").For(request.RefusedAskedClaims),
		crowded: request.Refuse(429, "too many tokens at once", "Retry-After: 1\r\n").For(request.RefusedAskedCrowd),
		away:    request.Refuse(503, "tokens can't be verified at the moment", "Retry-After: 1\r\n").For(request.RefusedAskedAway),
	}
	invalid := request.Refuse(401, "the token is not valid", "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
	for why := request.RefusedAskedLong; why <= request.RefusedAskedAudience; why++ {
		g.invalid[why] = invalid.For(why)
	}
	_, _ = rand.Read(g.secret[:]) // it never fails (crypto/rand)
	return g, nil
}

// Check refuses requests without a token that is good.
func (g *Introspect) Check(r *request.Request) *request.Reply {
	token := bearer(r, g.rules.Cookie)
	if len(token) == 0 {
		return g.missing
	}
	if len(token) > mostToken {
		return g.invalid[request.RefusedAskedLong]
	}
	s := g.sums.Get().(*summing)
	defer g.sums.Put(s)
	sum := s.of([][]byte{g.secret[:], token})
	if p := g.verified.find(sum, nil, g.Now()); p != nil {
		return g.pass(r, p)
	}
	return g.later(network(r.Client), [sha256.Size]byte(sum), string(token))
}

// pass decides by what is known of a token, and forwards its subject to the upstream.
func (g *Introspect) pass(r *request.Request, p *credential) *request.Reply {
	if p.invalid != request.NotRefused {
		return g.invalid[p.invalid]
	}
	r.Verified("introspect", p.claims)
	carry(r, g.rules.Forward, p.forward)
	if !p.allowed {
		return g.lacking
	}
	if p.unclear {
		return replyUnclear
	}
	return nil
}

// later introspects beside the loops. It goes on also when the first request has gone:
// others may wait for the same token.
func (g *Introspect) later(from netip.Addr, sum [sha256.Size]byte, token string) *request.Reply {
	a := *g.away
	a.Deferred = &request.Deferred{
		Asks: true, Within: g.rules.Timeout + turnWithin,
		Work: func(ctx context.Context) func(*request.Request) *request.Reply {
			asked := g.questions.DoChan(string(sum[:]), func() (any, error) { return g.introspect(from, sum, token) })
			select {
			case came := <-asked:
				return func(r *request.Request) *request.Reply {
					switch {
					case came.Err == errCrowded:
						return g.crowded
					case came.Err != nil:
						return g.away
					}
					return g.pass(r, came.Val.(*credential))
				}
			case <-ctx.Done():
				return nil
			}
		},
	}
	return &a
}

var errCrowded = errors.New("too many questions of one client")

// introspect sends a token to the server.
func (g *Introspect) introspect(from netip.Addr, sum [sha256.Size]byte, token string) (*credential, error) {
	if p := g.verified.find(sum[:], nil, g.Now()); p != nil {
		return p, nil // it was introspected while this one waited for its turn
	}
	if !g.waiting.enter(from) {
		return nil, errCrowded
	}
	defer g.waiting.leave(from)
	ctx, cancel := context.WithTimeout(context.Background(), g.rules.Timeout)
	defer cancel()
	claims, err := g.server.Introspect(ctx, token)
	if err != nil {
		g.told.Warn(g.log, clock.Now(), "introspect", "url", g.rules.URL, "error", err)
		g.trouble.Store(&err)
		return nil, err
	}
	g.trouble.Store(nil)
	p := g.judge(claims, g.Now())
	g.verified.keep(sum[:], p)
	return p, nil
}

// judge evaluates a response.
func (g *Introspect) judge(claims map[string]any, now time.Time) *credential {
	const leeway = 30 * time.Second // of the server's clock, for what isn't valid yet
	ends, ok := claims["exp"].(float64)
	begins, _ := claims["nbf"].(float64)
	invalid := request.NotRefused
	switch {
	case claims == nil:
		invalid = request.RefusedAskedInactive
	case ok && now.Unix() >= int64(ends):
		invalid = request.RefusedAskedExpired
	case now.Add(leeway).Unix() < int64(begins):
		invalid = request.RefusedAskedEarly
	case g.rules.Issuer != "" && claims["iss"] != g.rules.Issuer:
		invalid = request.RefusedAskedIssuer
	case g.rules.Audience != "" && !names(claims["aud"], g.rules.Audience):
		invalid = request.RefusedAskedAudience
	}
	if invalid != request.NotRefused {
		return &credential{from: now.Round(0), until: now.Add(g.rules.Refused), invalid: invalid}
	}
	p := &credential{from: now.Round(0), until: now.Add(g.rules.Keep), claims: claims, allowed: allows(g.rules.Claims, claims)}
	p.carries(g.rules.Forward, claims)
	if until := time.Unix(int64(ends), 0); ok && until.Before(p.until) {
		p.until = until
	}
	return p
}

// names reports whether an audience is, or a list has, who (RFC 7519 4.1.3).
func names(audience any, who string) bool {
	if _, ok := audience.(string); ok {
		return audience == who
	}
	return says(audience, who)
}

// Close ends looking for the secret.
func (g *Introspect) Close() { g.server.Close() }
