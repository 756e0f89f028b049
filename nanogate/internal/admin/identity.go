//go:build linux

package admin

import (
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/snapshot"
)

// Identity is whom a route's guard asks who somebody is, and how that goes.
type Identity struct {
	Route   string `json:"route"`
	Guard   string `json:"guard"` // jwt, introspect or oidc
	Where   string `json:"where"` // it asks: a URL
	Ready   bool   `json:"ready"` // what it needs is known; else who isn't known yet is answered 503
	Error   string `json:"error,omitempty"`
	Logouts int    `json:"logouts,omitempty"` // that the provider has told, and are remembered
}

// identitiesOf looks at the guards that ask others, in the order of the file.
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
