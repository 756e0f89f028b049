module dyno.example/nano/yaml

go 1.26.0

require (
	dyno.example/nano v0.0.0
	go.yaml.in/yaml/v3 v3.0.6
)

require golang.org/x/sys v0.49.0 // indirect
