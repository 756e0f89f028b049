package clock

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestNowIsTheSystemsMonotonicClock(t *testing.T) {
	var before, after unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &before)
	now := Now()
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &after)
	const slack = 10_000 // ns that the calibration may be off
	if now < before.Nano()-slack || now > after.Nano()+slack {
		t.Errorf("Now() = %d, system clock went from %d to %d", now, before.Nano(), after.Nano())
	}
}
