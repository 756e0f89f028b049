// Package reflection asks upstreams what they offer over gRPC: it is the driver of [schema]
// for grpc-json.reflection.
package reflection

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/internal/descriptors/reflection"
	"dyno.example/nanogate/internal/schema"
	"dyno.example/nanogate/internal/upstream"
)

const (
	asking    = 10 * time.Second // that one endpoint may take
	mostAsked = 3                // endpoints of an upstream that are asked one after the other
)

func init() { schema.RegisterReflection(ask) }

// ask asks endpoints what they offer until one says it.
func ask(ctx context.Context, upstreams []*upstream.Upstream, services []string) (*descriptorpb.FileDescriptorSet, string, error) {
	err := errors.New("no endpoint is known that could be asked what it offers")
	for _, u := range upstreams {
		for i, e := range u.Set().Usable {
			if i == mostAsked || ctx.Err() != nil {
				break
			}
			var set *descriptorpb.FileDescriptorSet
			if set, err = askOne(ctx, u, e, services); err == nil {
				return set, "what " + e.Name + " offers", nil
			}
			err = fmt.Errorf("asking %s what it offers (reflection): %w", e.Name, err)
		}
	}
	return nil, "", err
}

func askOne(ctx context.Context, u *upstream.Upstream, e *upstream.Endpoint, services []string) (*descriptorpb.FileDescriptorSet, error) {
	target, secure := "passthrough:///"+e.Name, insecure.NewCredentials()
	if e.Address.Unix != "" {
		target = "unix:" + e.Address.Unix
	}
	options := []grpc.DialOption{grpc.WithDisableServiceConfig(), grpc.WithNoProxy(), grpc.WithUserAgent("nanogate")}
	if c := u.TLS(e); c != nil {
		secure = credentials.NewTLS(c.Clone())
	} else {
		options = append(options, grpc.WithAuthority(e.Host))
	}
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(secure))...)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	return reflection.Files(ctx, conn, services)
}
