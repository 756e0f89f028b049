module dyno.example/nano/compress

go 1.26.0

require (
	dyno.example/nano v0.0.0
	github.com/andybalholm/brotli v1.2.0
	github.com/klauspost/compress v1.20.3
)

require golang.org/x/sys v0.49.0 // indirect
