//go:build linux

package admin

import (
	"time"

	"dyno.example/nano"
	"dyno.example/nanogate/internal/gateway"
)

// API is a route whose requests are made calls over gRPC.
type API struct {
	Route    string    `json:"route"`
	From     string    `json:"from"`
	Known    bool      `json:"known"`
	Methods  int       `json:"methods"`
	Since    time.Time `json:"since"` // of it being as it is
	Error    string    `json:"error,omitempty"`
	Document string    `json:"document"` // where it is described here
}

// openapi lists the APIs that routes have, or returns the document of the route that
// the query names.
func openapi(g *gateway.Gateway) nano.Handler {
	return func(c nano.Ctx) error {
		name := string(c.Query("route"))
		all := []API{}
		for _, r := range g.Snapshot().Routes {
			if r.Schema == nil {
				continue
			}
			s := r.Schema.Status()
			v := API{Route: r.Name, From: s.From, Known: s.Known, Since: s.Since, Error: s.Err, Document: "/openapi?route=" + r.Name}
			if api := r.Schema.API(); api != nil {
				v.Methods = len(api.Methods)
			}
			if r.Name != name {
				all = append(all, v)
				continue
			}
			document := r.Schema.Document()
			if document == nil {
				return nano.NewProblem(503, "it isn't known yet what the upstream of "+name+" offers")
			}
			return c.Bytes(200, "application/json", document.Body)
		}
		if name != "" {
			return nano.NewProblem(404, "no route "+name+" has grpc-json")
		}
		return c.JSON(200, all)
	}
}
