package guard

import (
	"net/netip"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Access lets requests in by the address of who sent them ([request.Request.Client]).
type Access struct {
	rules  config.Access
	refuse *request.Reply
}

// NewAccess makes the guard.
func NewAccess(rules config.Access) *Access {
	return &Access{rules, request.Refuse(403, "requests from this address are not taken here", "").For(request.RefusedAddress)}
}

// Check refuses who is denied, and who isn't among those allowed. Who has no address,
// over a unix socket, is allowed only where all are; and nobody knows whether those are
// denied of whom a proxy said what is no address.
func (a *Access) Check(r *request.Request) *request.Reply {
	client := r.Client.Unmap()
	if !client.IsValid() && r.Peer.IsValid() {
		return a.refuse
	}
	if among(a.rules.Deny, client) || len(a.rules.Allow) > 0 && !among(a.rules.Allow, client) {
		return a.refuse
	}
	return nil
}

func among(list []netip.Prefix, addr netip.Addr) bool {
	for i := range list {
		if list[i].Contains(addr) {
			return true
		}
	}
	return false
}
