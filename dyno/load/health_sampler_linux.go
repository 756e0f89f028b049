package load

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/probe"
)

// systemHealth reads the kernel's counters of the generator's machine.
type systemHealth struct {
	steal *probe.StealProbe
}

func openSystemHealth() systemHealth { return systemHealth{probe.NewSteal()} }

func (s *systemHealth) close() { s.steal.Close() }

func (s *systemHealth) read(t *healthTotals) {
	t.steal, _ = s.steal.Total() // without a counter, steal counts as zero
	t.wall, t.boot = clockOffsets()
}

// clockOffsets returns how far CLOCK_REALTIME and CLOCK_BOOTTIME are ahead of
// CLOCK_MONOTONIC. NTP slews all three alike (clock_gettime(2)), so that the
// first moves only when the wall clock is set, and the second only when the
// machine was suspended. Of several readings it takes the least disturbed.
func clockOffsets() (wall, boot time.Duration) {
	best := int64(1<<63 - 1)
	for range 4 {
		before, real, up, after := readClock(unix.CLOCK_MONOTONIC), readClock(unix.CLOCK_REALTIME), readClock(unix.CLOCK_BOOTTIME), readClock(unix.CLOCK_MONOTONIC)
		if took := after - before; took < best {
			best = took
			middle := before + took/2
			wall, boot = time.Duration(real-middle), time.Duration(up-middle)
		}
	}
	return wall, boot
}

func readClock(id int32) int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0
	}
	return ts.Nano()
}
