// Package middleware has parts that aren't the gateway's own look at the requests of
// routes and at their responses: what a program compiles in, and plug-ins. A middleware
// is a guard that is asked after all others ([filter.Filter]), and may be asked once more
// when the upstream has responded. [Host] keeps what goes wrong in it from the gateway.
package middleware

import (
	"slices"
	"time"

	"dyno.example/nanogate/internal/request"
)

// Middleware is what is done with requests and with their responses. Its functions are
// called for many requests at a time, by several event loops and, with Within, workers.
type Middleware struct {
	// Request is called with each request that the route's guards have let pass, before
	// its limits. It returns nil to let the request pass, or the response to send
	// instead. [request.Request.Forward] adds a field to the forwarded request, and
	// [request.Request.Drop] removes one of the client's; [request.Request.Respond] adds
	// one to the response, wherever it comes from; [request.Request.Claims] is what
	// guards have verified.
	//
	// The request is the loop's: its views are valid until the function returns. nil:
	// it isn't called.
	Request func(r *request.Request) *request.Reply

	// Response is called with the head of each response of an upstream, before anything
	// of it is stored or goes on to the client; not with interim responses, nor when
	// another protocol is begun. It returns nil to let the response pass as it has
	// changed it, or the response to send instead. Of several the one called first for
	// the request is called last. r is the request as it was forwarded. nil: it isn't
	// called.
	Response func(r *request.Request, p *request.Response) *request.Reply

	// Within makes the functions run on a worker beside the loops, with a copy of the
	// request and response, whose Context ends after that time, the wait for a worker
	// included: it is for code that blocks or computes for long. 0 runs on the loop,
	// where all its clients wait meanwhile: it is for what takes microseconds.
	Within time.Duration
	// Pass lets a request or response pass when no worker has room for it, or there is no
	// decision in time. Without it the response is 503, or 502 in place of an upstream's
	// response.
	Pass bool

	// Close is called when the route that it was made for is removed or rebuilt;
	// requests may still be under way. nil: there is nothing to close.
	Close func()
}

// Maker makes a middleware for a route. settings is what its file says as JSON, nil if
// that is nothing.
type Maker func(settings []byte) (Middleware, error)

// Offer is a middleware that routes may use by a name.
type Offer struct {
	Name       string
	Make       Maker
	Everywhere bool // it is made for each route, whether that names it or not
	Counts     *Counts
}

// NewOffer makes one.
func NewOffer(name string, everywhere bool, maker Maker) Offer {
	return Offer{name, maker, everywhere, NewCounts()}
}

// Offers are all that there are. Names are unique.
type Offers []Offer

// Find returns the one of that name, nil if there is none.
func (o Offers) Find(name string) *Offer {
	if i := slices.IndexFunc(o, func(one Offer) bool { return one.Name == name }); i >= 0 {
		return &o[i]
	}
	return nil
}

// Names are their names.
func (o Offers) Names() (names []string) {
	for i := range o {
		names = append(names, o[i].Name)
	}
	return names
}
