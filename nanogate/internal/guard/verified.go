package guard

import (
	"hash/maphash"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
)

// credential is what is remembered of a token, or of credentials, that were verified. It
// isn't changed.
type credential struct {
	with    any             // the keys or passwords, a pointer
	from    time.Time       // when it was verified, by the wall clock; zero: it has nothing to do with the time
	until   time.Time       // when it is no longer valid; zero: never
	invalid request.Refusal // why it was found to be no good
	allowed bool            // it has the claims that the route requires
	unclear bool            // what is carried on would say something else
	forward [][]byte        // for each claim that is carried on; nil: the token hasn't got it

	claims request.Claims // that it makes

	holder oidc.Holder // of a session

	// Of those that come to be renewed.
	renew   time.Time // when that should be; zero: never
	expires time.Time // when it must have been
}

// carries notes what upstreams get of the claims.
func (p *credential) carries(forward []config.Claim, claims map[string]any) {
	values, ok := carried(forward, claims)
	p.forward, p.unclear = values, !ok
}

// verified remembers a bounded number of tokens, the latest. It keeps tokens in full,
// as hashes could collide. It is safe for concurrent use.
type verified struct {
	seed  maphash.Seed
	parts [16]generations // so that loops don't wait for each other
}

// generations holds tokens in two generations: when the younger is full it becomes the
// older, and the older is forgotten. A token that is found in the older moves up.
type generations struct {
	mu         sync.Mutex
	young, old map[string]*credential
	most       int // of a generation
}

// newVerified remembers so many tokens; 0: none.
func newVerified(most int) *verified {
	v := &verified{seed: maphash.MakeSeed()}
	for i := range v.parts {
		v.parts[i] = generations{young: map[string]*credential{}, most: (most + 2*len(v.parts) - 1) / (2 * len(v.parts))}
	}
	return v
}

// find returns what is known of the token; nil if it isn't remembered, was verified with
// other keys, has expired, or was verified later than it is now: then the clock was set
// back, and the token may not be valid yet.
func (v *verified) find(token []byte, with any, now time.Time) *credential {
	part := &v.parts[maphash.Bytes(v.seed, token)%uint64(len(v.parts))]
	part.mu.Lock()
	defer part.mu.Unlock()
	p := part.young[string(token)]
	if p == nil {
		if p = part.old[string(token)]; p == nil {
			return nil
		}
		part.add(string(token), p)
	}
	if p.with != with || !p.until.IsZero() && !now.Before(p.until) || now.Before(p.from) {
		delete(part.young, string(token))
		delete(part.old, string(token))
		return nil
	}
	return p
}

// keep remembers a token.
func (v *verified) keep(token []byte, p *credential) {
	part := &v.parts[maphash.Bytes(v.seed, token)%uint64(len(v.parts))]
	part.mu.Lock()
	defer part.mu.Unlock()
	part.add(string(token), p)
}

func (r *generations) add(token string, p *credential) {
	if r.most == 0 {
		return
	}
	if len(r.young) >= r.most {
		r.young, r.old = make(map[string]*credential, r.most), r.young
	}
	r.young[token] = p
}
