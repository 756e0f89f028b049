package middleware

import (
	"fmt"

	"dyno.example/nano"
)

// BodyLimit refuses a request with a body of more than limit bytes with 413: before the
// handler starts if its size is known, else when the handler reads more than that.
// nano.Limits.Body is for all routes and can't be raised here, and an inner BodyLimit
// can't raise an outer one.
func BodyLimit(limit int64) nano.Middleware {
	if limit < 0 {
		panic(fmt.Sprintf("middleware: BodyLimit(%d): a limit can't be negative", limit))
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			if err := c.LimitBody(limit); err != nil {
				return err
			}
			return next(c)
		}
	}
}
