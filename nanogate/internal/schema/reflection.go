package schema

import (
	"context"

	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/driver"
	"dyno.example/nanogate/internal/upstream"
)

// Reflection asks endpoints of upstreams what they offer until one says it. It is a driver, as
// it takes a client for gRPC, which a gateway needs for nothing else.
type Reflection func(ctx context.Context, upstreams []*upstream.Upstream, services []string) (set *descriptorpb.FileDescriptorSet, from string, err error)

// byGRPC is the import of the only driver there is.
const byGRPC = "grpcreflection"

var reflections driver.Kind[Reflection]

// RegisterReflection makes the driver known. It is for the init of its package.
func RegisterReflection(r Reflection) { reflections.Register(byGRPC, r) }

// reflectionOf is the driver that the rules ask for. That it isn't linked in is a
// [config.Problem].
func reflectionOf(rules *config.GRPCJSON) (Reflection, error) {
	r, linked := reflections.Find(byGRPC)
	if !linked {
		return nil, missing(rules)
	}
	return r, nil
}

// Missing says where a configuration asks for a driver that isn't linked in.
func Missing(c *config.Config) (problems config.Problems) {
	if _, linked := reflections.Find(byGRPC); linked {
		return nil
	}
	for _, r := range c.Routes {
		if rules := r.GRPCJSON; rules != nil && rules.Reflection {
			problems = append(problems, missing(rules))
		}
	}
	return problems
}

func missing(rules *config.GRPCJSON) config.Problem {
	return rules.ReflectionAt.Problem("import "+driver.Import(byGRPC), "this program can't ask endpoints what they offer, as nothing that does is linked in")
}
