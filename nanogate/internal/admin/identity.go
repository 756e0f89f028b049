//go:build linux

package admin

import (
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/snapshot"
)

// Identity is a server that a route's guard consults about identities, and its state.
type Identity struct {
	Route   string `json:"route"`
	Guard   string `json:"guard"` // jwt, introspect or oidc
	Where   string `json:"where"` // a URL
	Ready   bool   `json:"ready"` // its metadata and keys are known; else requests without a session get a 503
	Error   string `json:"error,omitempty"`
	Logouts int    `json:"logouts,omitempty"` // received from the provider, and remembered
}

// identitiesOf describes the guards that consult other servers, in the order of the
// file.
func identitiesOf(s *snapshot.Snapshot) []Identity {
	all := []Identity{}
	for _, r := range s.Routes {
		for i := range r.Chain {
			if asker, ok := r.Chain[i].Filter.(guard.Remote); ok {
				if a, ok := asker.RemoteStatus(); ok {
					all = append(all, Identity{r.Name, a.Guard, a.Where, a.Ready, a.Err, a.Logouts})
				}
			}
		}
	}
	return all
}
