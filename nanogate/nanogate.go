// Package nanogate is what middleware for nanogate is written with, and how a program that
// is a gateway says which it has. It links nothing of the gateway itself, so that a package
// of middleware doesn't either.
//
// A program that is to have nanogate's commands, flags, reloads and admin address is one
// call of [dyno.example/nanogate/command.Main]; one that also does other things runs a
// gateway by [dyno.example/nanogate/serve.Start].
//
// What a middleware may do, on which goroutine, and how long the bytes that it sees are
// good, is said at [Middleware], [Request] and [Response].
package nanogate

import (
	"fmt"
	"log/slog"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

type (
	// Middleware is what is done with requests and with responses.
	Middleware = middleware.Middleware
	// Request is a request on its way to its upstream.
	Request = request.Request
	// Response is the head of an upstream's response on its way to the client.
	Response = request.Response
	// Reply is a response that is given instead of the upstream's, made once and shared
	// by requests. [Refuse] and [Respond] make one.
	Reply = request.Reply
	// Claims are what a guard has verified about a request's sender.
	Claims = request.Claims
	// Outcome is how a request ended.
	Outcome = request.Outcome
)

// Refuse makes the reply of a refusal, a problem document (RFC 9457) with a detail for
// the client.
func Refuse(status int, detail string) *Reply { return request.Refuse(status, detail, "") }

// Respond makes a reply with a body of a media type. The body isn't copied.
func Respond(status int, mediaType string, body []byte) *Reply {
	return &Reply{Status: status, Fields: request.AppendField(nil, "Content-Type", mediaType), Body: body}
}

// Gateway is a gateway that is being put together. It isn't for several goroutines.
type Gateway struct {
	offers middleware.Offers
	log    *slog.Logger
	loops  int
}

// New begins a gateway with no middleware.
func New() *Gateway { return new(Gateway) }

// Use passes the requests of all routes through a middleware, after those of earlier calls,
// and before those that routes name. name is its name in metrics, the log and files, and
// must be unique: a second one of a name is a panic. Its Close isn't called, as it belongs
// to the program.
func (g *Gateway) Use(name string, m Middleware) *Gateway {
	return g.add(name, true, m)
}

// Offer lets routes use a middleware by its name in their file: use: [name].
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

// Setup is what was put together, for the packages that serve it.
func (g *Gateway) Setup() (offers middleware.Offers, log *slog.Logger, loops int) {
	return g.offers, g.log, g.loops
}
