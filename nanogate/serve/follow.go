//go:build linux

package serve

import (
	"context"
	"errors"

	"dyno.example/nanogate"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
)

// Source is where a configuration stands that may change: a [File], or what a package below
// dyno.example/nanogate/with follows.
type Source = discovery.Configuration

// File is a configuration in a file. Its Again has it be read again.
type File = discovery.File

// NewFile makes what follows a configuration file: [File.Again] has it be read again.
func NewFile(g *nanogate.Gateway, path string) *File {
	_, log, _ := g.Setup()
	return discovery.NewFile(path, log)
}

// Follow serves what stands at a source, now and whenever it changes, until ctx ends; then
// it is as [Run]. What can't be served changes nothing, and is logged. started, which may be
// nil, is called once when the gateway serves.
//
// A first configuration that is right but can't be served here, as an address is taken, is
// an error.
func Follow(ctx context.Context, g *nanogate.Gateway, from Source, started func(*Running)) error {
	following, end := context.WithCancel(ctx)
	defer end()
	var running *Running
	var served *Config
	var failed error
	err := from.Follow(following, func(d discovery.Document) error {
		c, err := d.Config()
		switch {
		case err != nil:
			return err
		case running != nil:
			err = running.Apply(c)
		default:
			running, err = Start(g, c)
			if problems := (config.Problems)(nil); err != nil && !errors.As(err, &problems) {
				failed = err
				end()
			}
			if err == nil && started != nil {
				started(running)
			}
		}
		if err == nil {
			served = c
		}
		return err
	})
	if running == nil {
		return errors.Join(failed, err)
	}
	<-ctx.Done() // a source may have no further changes
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), served.Client.Drain)
	defer cancel()
	return errors.Join(err, running.Shutdown(last))
}
