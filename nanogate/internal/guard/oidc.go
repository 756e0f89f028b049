package guard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"log/slog"
	"sync"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
)

// OIDC admits users that have logged in at an identity provider, and redirects other
// browsers there. A session that was decrypted is remembered, with the fields for
// upstreams, by a hash of its cookies.
type OIDC struct {
	rules    config.OIDC
	client   *oidc.Client
	verified *verified
	sums     sync.Pool
	waiting  clientLimiter // logins that come to an end
	codes    *limit.Failures
	log      *slog.Logger
	told     bounds.ThrottledLog

	missing, lacking, notReady, away, crowded, clear, strange, elsewhere, method *request.Reply
}

const (
	providerWithin = 15 * time.Second // the wait for its turn included
	loginsEach     = 16               // of one client's address that are being ended
)

// madeUpCodes is how many codes of one client's address the provider may refuse: each is a
// request to it with the gateway's own secret.
var madeUpCodes = config.Failures{Address: config.Rate{Requests: 20, Per: time.Minute, Burst: 20, Keys: 100_000}}

// NewOIDC makes the guard. A file that can't be used is an error. The provider's metadata
// arrive some time after [OIDC.Start]: until then requests without a session get a 503.
func NewOIDC(rules *config.OIDC, clients *oidc.Clients, log *slog.Logger) (*OIDC, error) {
	client, err := clients.Get(rules)
	if err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	const noStore = "Cache-Control: no-store\r\n"
	return &OIDC{
		rules: *rules, client: client, verified: newVerified(rules.Cache), waiting: newClientLimiter(loginsEach), codes: limit.NewFailures(madeUpCodes), log: log,
		sums:      sync.Pool{New: func() any { return &summing{hash: sha256.New()} }},
		missing:   request.Refuse(401, "you aren't logged in", "WWW-Authenticate: OpenIDConnect login=\""+rules.Login+"\"\r\n"+noStore).For(request.RefusedNoSession),
		lacking:   request.Refuse(403, "your account does not allow this", noStore).For(request.RefusedSessionClaims),
		notReady:  request.Refuse(503, "logins are not possible yet: the identity provider hasn't been reached", "Retry-After: 5\r\n"+noStore).For(request.RefusedLoginNotReady),
		away:      request.Refuse(503, "the identity provider is unavailable at the moment", "Retry-After: 5\r\n"+noStore).For(request.RefusedLoginAway),
		crowded:   request.Refuse(429, "too many logins at once", "Retry-After: 1\r\n"+noStore).For(request.RefusedLoginCrowd),
		clear:     request.Refuse(403, "logins are over https only", noStore).For(request.RefusedLoginClear),
		strange:   request.Refuse(403, "this login wasn't begun in this browser, or has expired: log in again", noStore).For(request.RefusedLogin),
		elsewhere: request.Refuse(400, "return must be a path of this origin", noStore).For(request.RefusedLogin),
		method:    request.Refuse(405, "", "Allow: GET, HEAD\r\n"+noStore).For(request.RefusedMethod),
	}, nil
}

// Client is what the guard asks its provider by; others with the same settings share it.
func (o *OIDC) Client() *oidc.Client { return o.client }

// Check refuses requests without a session. It responds itself to the paths that end a
// login and that log out.
func (o *OIDC) Check(r *request.Request) *request.Reply {
	switch string(r.Path) {
	case o.rules.Callback:
		return o.callback(r)
	case o.rules.Login:
		return o.login(r)
	case o.rules.Logout:
		return o.logout(r)
	case o.rules.Back:
		return o.backChannel(r)
	}
	var parts [oidc.MostCookies][]byte
	n := o.client.Cookies.Parts(r, &parts)
	p := o.credentialOf(parts[:n])
	if p == nil {
		return o.begin(r, nil)
	}
	if !p.renew.IsZero() {
		if now := o.client.Now(); !now.Before(p.renew) {
			return o.renew(r, p, parts[:n], now)
		}
	}
	return o.pass(r, p)
}

// credentialOf finds what is known of a session, or decrypts it; nil if there is none that is
// good.
func (o *OIDC) credentialOf(parts [][]byte) *credential {
	if len(parts) == 0 {
		return nil
	}
	s := o.sums.Get().(*summing)
	defer o.sums.Put(s)
	sum, keys := s.of(parts), o.client.Keys()
	if p := o.verified.find(sum, keys, o.client.Now()); p != nil {
		if o.client.Ended(&p.holder) {
			return nil
		}
		return p
	}
	session, err := o.client.Open(keys, parts)
	if err != nil {
		return nil
	}
	p := o.read(session)
	if p == nil || o.client.Ended(&p.holder) {
		return nil
	}
	p.with = keys
	o.verified.keep(sum, p)
	return p
}

// summing is what a sum is made with.
type summing struct {
	hash hash.Hash
	sum  [sha256.Size]byte
}

func (s *summing) of(parts [][]byte) []byte {
	s.hash.Reset()
	for _, part := range parts {
		s.hash.Write(part) // it can't fail
	}
	return s.hash.Sum(s.sum[:0])
}

// read reads what a session says; nil if it lacks what upstreams must have.
func (o *OIDC) read(s *oidc.Session) *credential {
	claims, err := s.Claims()
	if err != nil || o.rules.NeedsAccess() && s.Access == "" {
		return nil
	}
	p := &credential{until: s.Until, holder: s.Holder(claims), claims: claims, allowed: allows(o.rules.Claims, claims)}
	p.carries(o.rules.Forward, claims)
	for i, c := range o.rules.Forward {
		token := s.ID
		switch c.Name {
		case config.AccessToken:
			token = s.Access
		case config.IDToken:
		default:
			continue
		}
		if c.Value == "authorization" { // RFC 6750 2.1
			token = "Bearer " + token
		}
		if p.forward[i] = nil; http1.ValidFieldValue(token) {
			p.forward[i] = []byte(token)
		}
	}
	if s.Refresh == "" {
		p.until = s.Ends()
	} else {
		p.renew, p.expires = s.RenewAt(), s.Expires
	}
	return p
}

// pass forwards the user to the upstream, without the session's cookies.
func (o *OIDC) pass(r *request.Request, p *credential) *request.Reply {
	r.Verified("oidc", p.claims)
	carry(r, o.rules.Forward, p.forward)
	withhold(r, o.client.Cookies)
	if !p.allowed {
		return o.lacking
	}
	if p.unclear {
		return replyUnclear
	}
	return nil
}

// renew passes a request whose session's tokens are about to expire, or have, after they
// are renewed. As long as they are valid, only the first request waits for that, and
// passes even if it fails.
func (o *OIDC) renew(r *request.Request, p *credential, parts [][]byte, now time.Time) *request.Reply {
	session, err := o.client.Open(o.client.Keys(), parts)
	if err != nil {
		return o.begin(r, nil)
	}
	holds := now.Before(p.expires)
	session, renewal := o.client.Renewal(session)
	if renewal != nil && renewal.Done() {
		return o.renewed(r, p, renewal, holds)
	}
	if holds {
		if reply := o.pass(r, p); reply != nil || renewal != nil {
			return reply
		}
	}
	a := *o.away
	a.Deferred = &request.Deferred{
		Asks: true, Within: providerWithin, Pass: holds,
		Work: func(ctx context.Context) func(*request.Request) *request.Reply {
			renewal := o.client.Renew(ctx, session)
			if renewal == nil {
				return nil
			}
			return func(r *request.Request) *request.Reply { return o.renewed(r, p, renewal, holds) }
		},
	}
	return &a
}

// renewed goes on with what came of a renewal. holds says that the session is good without.
func (o *OIDC) renewed(r *request.Request, before *credential, renewal *oidc.Renewal, holds bool) *request.Reply {
	session, cookies, err := renewal.Result()
	if err == nil && !o.client.Now().Before(session.Ends()) { // and there was no other
		if holds {
			return o.pass(r, before)
		}
		return o.begin(r, o.client.Cookies.Forget())
	}
	if err == nil {
		if p := o.read(session); p != nil {
			for _, line := range cookies {
				r.Respond("Set-Cookie", []byte(line))
			}
			return o.pass(r, p)
		}
	}
	o.tell(err)
	switch {
	case holds:
		return o.pass(r, before)
	case oidc.IsRefused(err): // the session was ended, there or elsewhere
		return o.begin(r, o.client.Cookies.Forget())
	}
	return o.away
}

// tell logs why a request to the provider failed, which users can't mend.
func (o *OIDC) tell(err error) {
	if err != nil && !oidc.IsRefused(err) {
		o.told.Warn(o.log, clock.Now(), "oidc", "issuer", o.rules.Issuer, "error", err)
	}
}

// Start begins to fetch the provider's metadata.
func (o *OIDC) Start() { o.client.Start() }

// Close ends what only this route has needed.
func (o *OIDC) Close() { o.client.Close() }

// is reports whether a request has one of the methods.
func is(r *request.Request, methods ...string) bool {
	for _, m := range methods {
		if string(r.Method()) == m {
			return true
		}
	}
	return false
}

// holds reports whether a field holds a word, whatever its case.
func holds(r *request.Request, lower, word string) (found bool) {
	r.Headers(lower, func(value []byte) bool {
		found = bytes.Contains(bytes.ToLower(value), []byte(word))
		return !found
	})
	return found
}
