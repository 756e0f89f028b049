//go:build linux

// Package serve runs a gateway inside a program that also does other things.
package serve

import (
	"context"
	"fmt"
	"net"

	"dyno.example/nanogate"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/snapshot"
)

// Config is a configuration that was read; it is immutable.
type Config = config.Config

// Open reads a configuration file. What is wrong with it is said with file:line:column,
// all of it.
func Open(file string) (*Config, error) { return config.Open(file) }

// Parse reads a configuration. name is what messages call it.
func Parse(name string, text []byte) (*Config, error) { return config.Parse(name, text) }

// To is the configuration that sends all that comes to an address on to a URL.
func To(listen, url string) (*Config, error) { return config.Simple(listen, url) }

// Run serves a configuration until ctx ends, lets the requests under way end for as long
// as its client.drain says, and cuts what is left, which is an error.
func Run(ctx context.Context, g *nanogate.Gateway, c *Config) error {
	running, err := Start(g, c)
	if err != nil {
		return err
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Client.Drain)
	defer cancel()
	return running.Shutdown(end)
}

// Start serves a configuration. A route that can't be built, as a middleware that it
// names doesn't exist, is an error.
func Start(g *nanogate.Gateway, c *Config) (*Running, error) {
	if c == nil {
		return nil, fmt.Errorf("serve: there is no configuration to serve")
	}
	offers, log, loops := g.Setup()
	if problems := snapshot.Check(c, offers); len(problems) > 0 {
		return nil, problems
	}
	started, err := gateway.Start(c, gateway.Options{Loops: loops, Log: log, Middleware: offers})
	if err != nil {
		return nil, err
	}
	return &Running{started}, nil
}

// Running is a gateway that serves.
type Running struct{ g *gateway.Gateway }

// Addresses are those that it listens on, with the ports that they got.
func (r *Running) Addresses() []net.Addr { return r.g.Addresses() }

// Apply serves another configuration from now on. No connection is closed, and no request
// under way notices. A configuration with a route that can't be made is an error and changes
// nothing.
func (r *Running) Apply(c *Config) error {
	if problems := snapshot.Check(c, r.g.Middleware()); len(problems) > 0 {
		return problems
	}
	if problems := r.g.Apply(c); len(problems) > 0 {
		return problems
	}
	return nil
}

// Shutdown accepts no more clients, lets the requests under way end until ctx does, and
// cuts what is left then, which is an error.
func (r *Running) Shutdown(ctx context.Context) error { return r.g.Shutdown(ctx) }
