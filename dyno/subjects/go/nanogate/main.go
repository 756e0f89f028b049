//go:build ignore

// The gateway as it is measured: nanogate's command with no driver linked in, as the routes
// here ask for none. It is built within nanogate's module.
package main

import (
	"dyno.example/nanogate"
	"dyno.example/nanogate/command"
)

func main() { command.Main(nanogate.New()) }
