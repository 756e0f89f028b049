package calibrate

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
)

// waiter returns how to wait until an instant of the clock.
func waiter(pacing Pacing) (wait func(due int64), closeWait func(), err error) {
	if pacing == Sleep {
		return func(due int64) { time.Sleep(time.Duration(due - clock.Now())) }, func() {}, nil
	}
	poller, err := reactor.NewPoller(1)
	if err != nil {
		return nil, nil, err
	}
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // as the event loops
	spare := time.Duration(0)
	if pacing == Hybrid {
		spare = pollBelow
	}
	return func(due int64) {
		for now := clock.Now(); now < due; now = clock.Now() {
			poller.Wait(time.Duration(due-now) - spare)
		}
	}, poller.Close, nil
}
