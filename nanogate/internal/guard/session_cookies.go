package guard

import (
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
)

// SessionCookies removes the cookies of logins' sessions from requests to upstreams: on every
// route, as browsers send them to all paths of a host, and whoever has them is logged in. It
// refuses no request.
type SessionCookies struct{ of []oidc.Cookies }

// NewSessionCookies makes the guard for the cookies of all clients.
func NewSessionCookies(of []oidc.Cookies) *SessionCookies { return &SessionCookies{of} }

// Check takes the cookies out of what the upstream is sent.
func (s *SessionCookies) Check(r *request.Request) *request.Reply {
	withhold(r, s.of...)
	return nil
}

// withhold takes cookies of sessions, and of logins that are under way, out of what the
// upstream is sent. A request without them goes on as it is.
func withhold(r *request.Request, of ...oidc.Cookies) {
	own := func(name []byte) bool {
		for i := range of {
			if of[i].Own(name) {
				return true
			}
		}
		return false
	}
	found := false
	r.Cookies(func(_, name, _ []byte) bool {
		found = own(name)
		return !found
	})
	if !found {
		return
	}
	var room [1024]byte
	kept := room[:0]
	r.Cookies(func(pair, name, _ []byte) bool {
		if !own(name) {
			if len(kept) > 0 {
				kept = append(kept, "; "...)
			}
			kept = append(kept, pair...)
		}
		return true
	})
	if len(kept) > 0 {
		r.Forward("cookie", kept)
	} else {
		r.Drop("cookie")
	}
}
