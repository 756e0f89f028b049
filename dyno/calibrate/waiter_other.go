//go:build !linux

package calibrate

import (
	"time"

	"dyno.example/nano/wire/clock"
)

// waiter returns how to wait until an instant of the clock.
func waiter(pacing Pacing) (wait func(due int64), closeWait func(), err error) {
	if pacing != Sleep {
		return nil, nil, ErrUnsupported
	}
	return func(due int64) { time.Sleep(time.Duration(due - clock.Now())) }, func() {}, nil
}
