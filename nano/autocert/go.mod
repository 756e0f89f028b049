module dyno.example/nano/autocert

go 1.26.0

require golang.org/x/crypto v0.58.0

require (
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
