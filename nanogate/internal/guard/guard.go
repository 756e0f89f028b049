// Package guard decides whether a request may pass: who sends it, from where, with
// what. A guard is a [filter.Filter] that is made when its route is built; a route whose
// guard can't be made responds with 503 and never reaches an upstream.
package guard

import "dyno.example/nanogate/internal/filter"

// Keeper is a guard that can attach what it has verified to requests
// ([request.Request.Verified]), if rules or middleware need it. KeepClaims is called before
// the first request.
type Keeper interface {
	filter.Filter
	KeepClaims()
}
