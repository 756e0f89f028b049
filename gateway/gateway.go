//go:build linux

// Package gateway is nanogate as a library: a program of one's own is the gateway, with
// middleware compiled into it.
//
// A program that is to have nanogate's commands, flags, reloads and admin address too is one
// call of [dyno/gateway/command.Main]; one that does other things besides starts a gateway
// by [Gateway.Run] or [Gateway.Start].
//
// What a middleware may do, on which goroutine, and how long the bytes that it sees are
// good, is said at [Middleware], [Request] and [Response].
package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"dyno/gate"
	"dyno/gate/config"
	"dyno/gate/middleware"
	"dyno/gate/request"
	"dyno/gate/snapshot"
)

type (
	// Middleware is what is done with requests and with responses.
	Middleware = middleware.Middleware
	// Request is a request on its way to its upstream.
	Request = request.Request
	// Response is the head of an upstream's response on its way to the client.
	Response = request.Response
	// Answer is a response that is given instead of the upstream's, made once and shared
	// by requests. [Refuse] and [Respond] make one.
	Answer = request.Answer
	// Claims are what a guard has verified of who sends a request.
	Claims = request.Claims
	// Outcome is how a request ended.
	Outcome = request.Outcome
	// Config is a configuration that was read; nobody changes it.
	Config = config.Config
)

// Open reads a configuration file. What is wrong with it is said with file:line:column,
// all of it.
func Open(file string) (*Config, error) { return config.Open(file) }

// Parse reads a configuration. name is what messages call it.
func Parse(name string, text []byte) (*Config, error) { return config.Parse(name, text) }

// To is the configuration that sends all that comes to an address on to a URL.
func To(listen, url string) (*Config, error) { return config.Simple(listen, url) }

// Refuse makes the answer to what is refused, a problem document (RFC 9457) with words
// for the one who asked.
func Refuse(status int, detail string) *Answer { return request.Refuse(status, detail, "") }

// Respond makes an answer with a body of a media type. The body isn't copied.
func Respond(status int, mediaType string, body []byte) *Answer {
	return &Answer{Status: status, Fields: request.AppendField(nil, "Content-Type", mediaType), Body: body}
}

// Gateway is a gateway that is being put together. It isn't for several goroutines.
type Gateway struct {
	config *Config
	offers middleware.Offers
	log    *slog.Logger
	loops  int
}

// New begins a gateway that serves a configuration. nil is for a program whose arguments
// say what it serves ([dyno/gateway/command.Main]).
func New(c *Config) *Gateway { return &Gateway{config: c} }

// Use has the requests of all routes pass through a middleware, after those that were used
// before, and before those that routes ask for. name is what metrics, the log and files call
// it, and nobody else's: a second one of a name is a panic. Its Close isn't called, as the
// program has it for as long as it likes.
func (g *Gateway) Use(name string, m Middleware) *Gateway {
	return g.add(name, true, m)
}

// Offer lets routes use a middleware that their file asks for by its name: use: [name].
func (g *Gateway) Offer(name string, m Middleware) *Gateway {
	return g.add(name, false, m)
}

func (g *Gateway) add(name string, everywhere bool, m Middleware) *Gateway {
	m.Close = nil // it isn't one route's
	return g.offer(name, everywhere, func(settings []byte) (Middleware, error) {
		if settings != nil {
			return m, fmt.Errorf("it takes no settings, and has %s", settings)
		}
		return m, nil
	})
}

// OfferFunc lets routes use a middleware that is made for each of them by its settings, as
// JSON: use: [{name: {each: 100}}]; nil are none. nanogate check makes it too.
func (g *Gateway) OfferFunc(name string, maker func(settings []byte) (Middleware, error)) *Gateway {
	return g.offer(name, false, maker)
}

func (g *Gateway) offer(name string, everywhere bool, maker middleware.Maker) *Gateway {
	if name == "" || g.offers.Find(name) != nil {
		panic(fmt.Sprintf("gateway: a middleware needs a name of its own, and %q is none", name))
	}
	g.offers = append(g.offers, middleware.NewOffer(name, everywhere, maker))
	return g
}

// Log sets where it logs; without it that is [slog.Default].
func (g *Gateway) Log(to *slog.Logger) *Gateway {
	g.log = to
	return g
}

// Loops sets how many event loops serve; without it there is one for each CPU.
func (g *Gateway) Loops(n int) *Gateway {
	g.loops = n
	return g
}

// Options are what it serves and what it starts with, for who starts it in another way than
// [Gateway.Start].
func (g *Gateway) Options() (*Config, gate.Options) {
	return g.config, gate.Options{Loops: g.loops, Log: g.log, Middleware: g.offers}
}

// Run serves the configuration until ctx ends, lets the requests under way end for as long
// as its client.drain says, and cuts what is left, which is an error.
func (g *Gateway) Run(ctx context.Context) error {
	running, err := g.Start()
	if err != nil {
		return err
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.config.Client.Drain)
	defer cancel()
	return running.Shutdown(end)
}

// Start serves the configuration. A route that can't be made, as a middleware that it asks
// for isn't there, is an error.
func (g *Gateway) Start() (*Running, error) {
	if g.config == nil {
		return nil, fmt.Errorf("gateway: there is no configuration to serve")
	}
	if problems := snapshot.Check(g.config, g.offers); len(problems) > 0 {
		return nil, problems
	}
	c, options := g.Options()
	started, err := gate.Start(c, options)
	if err != nil {
		return nil, err
	}
	return &Running{started}, nil
}

// Running is a gateway that serves.
type Running struct{ g *gate.Gateway }

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
