package middleware

import (
	"slices"

	"dyno.example/nano"
)

// BodyDumpConfig is how [BodyDump] works.
type BodyDumpConfig struct {
	// Dump gets both contents, which are its own. It is needed. It is called before the
	// response is sent, on the handler's goroutine. The response's is nil if it is streamed.
	Dump func(c nano.Ctx, request, response []byte)
	// MaxBody is how much of each is kept, in bytes; default 64 KiB. More is cut off.
	MaxBody int
	// Skip leaves a request out, if it is set: one with a password in its body, say.
	Skip func(c nano.Ctx) bool
}

// BodyDump hands the contents of requests and responses to a function, for debugging and
// audits. They hold what users have sent, passwords too: mind where they go. The body
// of a request that the handler doesn't read is read, and counted, all the same.
func BodyDump(config BodyDumpConfig) nano.Middleware {
	if config.Dump == nil {
		panic("middleware: BodyDumpConfig needs Dump")
	}
	if config.MaxBody <= 0 {
		config.MaxBody = 64 << 10
	}
	cut := func(b []byte) []byte { return slices.Clone(b[:min(len(b), config.MaxBody)]) }
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			if config.Skip != nil && config.Skip(c) {
				return next(c)
			}
			body, err := c.Body()
			if err != nil {
				return err
			}
			request := cut(body)
			c.BeforeResponse(func(c nano.Ctx, a *nano.Response) {
				content, whole := a.Body()
				if !whole {
					config.Dump(c, request, nil)
					return
				}
				config.Dump(c, request, cut(content))
			})
			return next(c)
		}
	}
}
