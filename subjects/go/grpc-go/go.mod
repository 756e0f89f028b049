module subject

go 1.26.0

require (
	dynoprobe v0.0.0
	echoservice v0.0.0
	google.golang.org/grpc v1.85.0
)

replace (
	dynoprobe => ../dynoprobe
	echoservice => ../echoservice
)
