package nano

import (
	"context"
	"time"
)

// RouteLimits are limits of one route, or of a group's by [Group.Default], in
// place of those of [Limits] that have the same names. 0 leaves the app's, a
// negative value is no limit. They hold for all that serves the app: HTTP/1.1,
// HTTP/2, net/http.
type RouteLimits struct {
	Body    int64         // bytes of a body; then 413
	Handler time.Duration // deadline of the request's context, from the start of the handler
}

// WithLimits gives a route limits of its own: a larger body for an upload, a
// deadline for what asks a database. The fields that are 0 stay as the route's
// groups have set them. Middleware inside can lower the limit of a body, by
// [Ctx.LimitBody], and set earlier deadlines.
func WithLimits(l RouteLimits) Option {
	return optionFunc(func(r *Route) {
		if l.Body != 0 {
			r.limits.Body = l.Body
		}
		if l.Handler != 0 {
			r.limits.Handler = l.Handler
		}
	})
}

// Limits returns the route's own limits; 0 stands for the app's.
func (r *Route) Limits() RouteLimits { return r.limits }

// bodyLimit is how many bytes the request's body may have; negative: any.
func (x *exchange) bodyLimit() int64 {
	if x.route != nil && x.route.limits.Body != 0 {
		return x.route.limits.Body
	}
	return x.app.config.Limits.Body
}

// handlerLimit is how long the handler's context lasts; not positive: for ever.
func (x *exchange) handlerLimit() time.Duration {
	if x.route != nil && x.route.limits.Handler != 0 {
		return x.route.limits.Handler
	}
	return x.app.config.Limits.Handler
}

// timed makes the context of a handler that has run for so long.
func (x *exchange) timed(parent context.Context, ran time.Duration) (context.Context, context.CancelCauseFunc) {
	d := x.handlerLimit()
	if d <= 0 {
		return context.WithCancelCause(parent)
	}
	timed, stop := context.WithTimeout(parent, d-ran)
	ctx, cancel := context.WithCancelCause(timed)
	return ctx, func(cause error) { cancel(cause); stop() }
}
