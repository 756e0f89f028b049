//go:build linux

// Command nanogate is a gateway for HTTP services.
//
//	nanogate run --listen 127.0.0.1:8080 --to http://127.0.0.1:9000
//	nanogate run -c nanogate.yaml
//	nanogate check nanogate.yaml
package main

import (
	"dyno.example/nanogate"
	"dyno.example/nanogate/command"
	_ "dyno.example/nanogate/with/all"
)

func main() { command.Main(nanogate.New()) }
