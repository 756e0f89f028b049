//go:build linux

// Command stamp is nanogate with a middleware of its own: it adds a request field that
// names the gateway.
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
