module subject

go 1.26.0

require (
	dyno.example/nano v0.0.0
	dyno.example/nano/grpc v0.0.0
	dynoprobe v0.0.0
	echoservice v0.0.0
	google.golang.org/grpc v1.85.0
)

require (
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	dyno.example/nano => ../../../../nano
	dyno.example/nano/grpc => ../../../../nano/grpc
	dynoprobe => ../dynoprobe
	echoservice => ../echoservice
)
