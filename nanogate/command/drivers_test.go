//go:build linux

package command

// What nanogate/with has of this module: drivers whose libraries make modules of their own
// are tested in nanogate/cmd/nanogate.
import (
	_ "dyno.example/nanogate/internal/cel"
	_ "dyno.example/nanogate/internal/consul"
	_ "dyno.example/nanogate/internal/otlp"
	_ "dyno.example/nanogate/internal/redis"
	_ "dyno.example/nanogate/internal/reflection"
)
