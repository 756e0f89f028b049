module dyno.example/nano/bench

go 1.26.0

require (
	dyno.example/dyno v0.0.0
	dyno.example/internal v0.0.0
	dyno.example/nano v0.0.0
	dyno.example/nano/json v0.0.0
	dyno.example/nano/validate v0.0.0
	dyno.example/nano/ws v0.0.0
	github.com/coder/websocket v1.8.15
	github.com/go-playground/validator/v10 v10.30.6
)

require (
	dyno.example/nano/grpc v0.0.0 // indirect
	dyno.example/nano/jwt v0.0.0 // indirect
	dyno.example/nanogate v0.0.0 // indirect
	github.com/bufbuild/protocompile v0.14.1 // indirect
	github.com/gabriel-vasile/mimetype v1.4.16 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/go-playground/locales v0.14.2 // indirect
	github.com/go-playground/universal-translator v0.18.2 // indirect
	github.com/golang-jwt/jwt/v5 v5.3.1 // indirect
	github.com/leodido/go-urn v1.5.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
