module dyno.example/nano/ws

go 1.26.0

require (
	dyno.example/nano v0.0.0
	github.com/coder/websocket v1.8.15
)

require golang.org/x/sys v0.49.0 // indirect
