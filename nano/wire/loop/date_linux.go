package loop

import (
	"time"

	"dyno.example/nano/wire/http1"
)

// DateLine appends the Date field (RFC 9110 6.6.1) of this batch. It is right until the
// loop's clock says until, which is within a second: clocks of the day may step.
func (c *Core[L]) DateLine(dst []byte) (line []byte, until int64) {
	wall := c.Sys.Wall()
	return http1.AppendDateLine(dst, wall.Unix()), c.now + int64(time.Second) - int64(wall.Nanosecond())
}
