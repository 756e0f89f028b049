// The subject go/nethttp-proxy: the least that passes requests on with the standard
// library, without tokens, limits or metrics.
package main

import (
	"net/http"

	"gateway"

	_ "dynoprobe"
)

func main() { gateway.Run(routes) }

func routes(s *gateway.Settings) http.Handler {
	pass := gateway.Proxy(s)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, route := range []string{"/plaintext", "/users/", "/api/"} {
		mux.Handle(route, pass)
	}
	return mux
}
