//go:build linux

package admin

import (
	"maps"
	"slices"
	"time"

	"dyno.example/nanogate/internal/gateway"
)

// Certificate is one that clients are shown, or will be.
type Certificate struct {
	Name     string     `json:"name,omitempty"` // of the host that an authority gives it for; "": the file's is shown
	File     string     `json:"file"`
	Expires  *time.Time `json:"expires,omitempty"` // nil: there is none yet
	Renews   *time.Time `json:"renews,omitempty"`  // by itself
	Failures int        `json:"failures,omitempty"`
	Next     *time.Time `json:"next,omitempty"` // when it is tried again
	Error    string     `json:"error,omitempty"`
}

// certificatesOf describes the certificates from ACME, and then the others.
func certificatesOf(g *gateway.Gateway) []Certificate {
	all, seen := []Certificate{}, map[string]bool{}
	for _, s := range g.Issued() {
		c := Certificate{Name: s.Name, File: s.File, Expires: known(s.Expires), Renews: known(s.Renews), Failures: s.Failures, Error: s.Err}
		if s.Failures > 0 {
			c.Next = known(s.Next)
		}
		all, seen[s.File] = append(all, c), true
	}
	expiries := g.Expiries()
	for _, file := range slices.Sorted(maps.Keys(expiries)) {
		if !seen[file] {
			all = append(all, Certificate{File: file, Expires: known(expiries[file])})
		}
	}
	return all
}

// known is a time, if it is one.
func known(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
