// The subject go/nethttp-gateway: a gateway with all that studies ask of one, on the
// standard library's ServeMux and ReverseProxy.
package main

import (
	"net/http"

	"gateway"

	_ "dynoprobe"
)

func main() { gateway.Run(routes) }

func routes(s *gateway.Settings) http.Handler {
	around, pass := gateway.NewAround(s), gateway.Proxy(s)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.Handle("/plaintext", wrap(around, "/plaintext", pass))
	mux.Handle("/users/", wrap(around, "/users/", guard(pass)))
	mux.Handle("/api/", wrap(around, "/api/", guard(pass)))
	return mux
}

// guard passes requests with a token on.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gateway.Authorize(r) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wrap puts everything else around a route.
func wrap(around *gateway.Around, route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if around.Observed() {
			noted := &noting{ResponseWriter: w, status: http.StatusOK}
			var end func(int)
			r, end = around.Observe(r, route)
			defer func() { end(noted.status) }()
			w = noted
		}
		leave, ok := around.Admit(r)
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer leave()
		r, cancel := around.Bound(r)
		defer cancel()
		around.Audit(r)
		next.ServeHTTP(w, r)
	})
}

// noting notes a response's status.
type noting struct {
	http.ResponseWriter
	status int
}

func (n *noting) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find what it needs.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }
