// Package all is all that the program nanogate is made with, for programs that are to have
// the same. It is imported for that effect.
package all

import (
	_ "dyno.example/nanogate/with/cel"
	_ "dyno.example/nanogate/with/consul"
	_ "dyno.example/nanogate/with/embeddedetcd"
	_ "dyno.example/nanogate/with/etcd"
	_ "dyno.example/nanogate/with/grpcreflection"
	_ "dyno.example/nanogate/with/kubernetes"
	_ "dyno.example/nanogate/with/otlp"
	_ "dyno.example/nanogate/with/redis"
)
