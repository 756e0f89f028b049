package guard

import (
	"net/netip"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Access admits requests by the client's address ([request.Request.Client]).
type Access struct {
	rules  config.Access
	refuse *request.Reply
}

// NewAccess makes the guard.
func NewAccess(rules config.Access) *Access {
	return &Access{rules, request.Refuse(403, "requests from this address are not allowed", "").For(request.RefusedAddress)}
}

// Check refuses clients that are denied, or that aren't among those allowed. Clients
// without an address, over a unix socket, are allowed only where all are; if a trusted
// proxy gives something else than an address, the request is refused, as the client
// could be one that is denied.
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
