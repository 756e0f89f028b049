//go:build linux

// Command stamp is nanogate with a middleware of its own: it tells upstreams which gateway
// a request came by.
package main

import (
	"dyno.example/nanogate"
	"dyno.example/nanogate/command"
	_ "dyno.example/nanogate/with/all"
)

func main() {
	command.Main(nanogate.New().Use("stamp", nanogate.Middleware{Request: stamp}))
}

func stamp(r *nanogate.Request) *nanogate.Reply {
	r.Forward("x-gateway", []byte("stamp"))
	return nil
}
