module subject

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	connectrpc.com/grpchealth v1.4.0
	connectrpc.com/grpcreflect v1.3.1
	dynoprobe v0.0.0
	echoservice v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace (
	dynoprobe => ../dynoprobe
	echoservice => ../echoservice
)
