module dyno.example/nanogate/internal/storm

go 1.26.0

require (
	dyno.example/nanogate v0.0.0
	golang.org/x/net v0.61.0
	google.golang.org/protobuf v1.36.12
)

require (
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260928230214-8a89bd6388cc // indirect
)
