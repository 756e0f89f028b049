//go:build linux

package command

import (
	"context"
	"log/slog"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/gateway"
)

// followed is a configuration that is followed, for a run that serves it. The run takes
// what is offered when it can, beside signals.
type followed struct {
	offers chan offer
	ended  chan error // why it isn't followed any more
	file   *discovery.File
}

// offer is a configuration that is there now.
type offer struct {
	config *config.Config
	name   string
	by     string
	served chan<- error // receives the outcome
}

// follow begins to follow a configuration until ctx ends.
func follow(ctx context.Context, by func(context.Context, func(discovery.Document) error) error) *followed {
	f := &followed{offers: make(chan offer), ended: make(chan error, 1)}
	go func() {
		f.ended <- by(ctx, func(d discovery.Document) error {
			c, err := d.Config()
			if err != nil {
				return err
			}
			served := make(chan error, 1)
			select {
			case f.offers <- offer{c, d.Name, d.By, served}:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case err := <-served:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return f
}

// followFile is [follow] of a file. served says that it was read already.
func followFile(ctx context.Context, file *discovery.File, served bool) *followed {
	by := file.Follow
	if served {
		by = file.FollowServed
	}
	f := follow(ctx, by)
	f.file = file
	return f
}

// first waits for what is served first. A config of nil says that ctx has ended.
func (f *followed) first(ctx context.Context) (offer, error) {
	select {
	case o := <-f.offers:
		return o, nil
	case err := <-f.ended:
		return offer{}, err
	case <-ctx.Done():
		return offer{}, nil
	}
}

// next serves what is there now, unless it can't be served.
func (o offer) next(g *gateway.Gateway, log *slog.Logger) {
	_, err := g.ApplyTo(0, o.config, o.by) // of any version; its problems are logged
	if err == nil {
		log.Info("configuration applied", "configuration", o.name, "routes", len(o.config.Routes), "upstreams", len(o.config.Upstreams))
	}
	o.served <- err
}

// again has the file be read again, if that is what is followed.
func (f *followed) again(log *slog.Logger) {
	if f.file == nil {
		log.Warn("there is no file to read again")
		return
	}
	f.file.Again()
}
