//go:build linux

// Command embedded is a program with an embedded gateway that reads its configuration and
// endpoints from etcd and nowhere else: it links neither Kubernetes' libraries nor
// Consul's.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"dyno.example/nanogate"
	"dyno.example/nanogate/serve"
	"dyno.example/nanogate/with/etcd" // endpoints in etcd too
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	from, err := etcd.Key{Endpoints: []string{"127.0.0.1:2379"}, Key: "/nanogate/config", State: "state"}.Source()
	if err == nil {
		err = serve.Follow(ctx, nanogate.New(), from, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
