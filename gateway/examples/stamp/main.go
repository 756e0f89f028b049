//go:build linux

// Command stamp is nanogate with a middleware of its own: it tells upstreams which gateway
// a request came by.
package main

import (
	"dyno/gateway"
	"dyno/gateway/command"
)

func main() {
	command.Main(gateway.New(nil).Use("stamp", gateway.Middleware{Request: stamp}))
}

func stamp(r *gateway.Request) *gateway.Answer {
	r.Forward("x-gateway", []byte("stamp"))
	return nil
}
