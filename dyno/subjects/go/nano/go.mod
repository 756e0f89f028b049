module subject

go 1.26.0

require (
	dyno.example/nano v0.0.0
	dynoprobe v0.0.0
)

require golang.org/x/sys v0.49.0 // indirect

replace dyno.example/nano => ../../../../nano

replace dynoprobe => ../dynoprobe
