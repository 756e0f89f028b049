module dyno.example/nano/json

go 1.26.0

require (
	dyno.example/nano v0.0.0
	github.com/go-json-experiment/json v1.27.2
)

require golang.org/x/sys v0.49.0 // indirect
