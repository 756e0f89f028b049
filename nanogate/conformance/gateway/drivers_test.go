//go:build linux

package gateway_test

import (
	_ "dyno.example/nanogate/internal/cel"
	_ "dyno.example/nanogate/internal/consul"
	_ "dyno.example/nanogate/internal/etcd"
	_ "dyno.example/nanogate/internal/kubernetes"
	_ "dyno.example/nanogate/internal/kubernetes/gatewayapi"
	_ "dyno.example/nanogate/internal/otlp"
	_ "dyno.example/nanogate/internal/redis"
	_ "dyno.example/nanogate/internal/reflection"
)
