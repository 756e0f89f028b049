module dyno.example/nano/protobuf

go 1.26.0

require (
	dyno.example/nano v0.0.0
	google.golang.org/protobuf v1.36.12
)

require golang.org/x/sys v0.49.0 // indirect
