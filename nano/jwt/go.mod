module dyno.example/nano/jwt

go 1.26.0

require (
	dyno.example/nano v0.0.0
	github.com/golang-jwt/jwt/v5 v5.3.1
)

require golang.org/x/sys v0.49.0 // indirect
