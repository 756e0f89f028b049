package kernel

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
)

// FaultCost is what a page fault that needs no disk costs on this machine, in ns, as the
// median of a few hundred; 0 if that can't be measured.
func FaultCost() int64 {
	const pages, rounds = 256, 5
	page := os.Getpagesize()
	var costs []int64
	for range rounds {
		m, err := unix.Mmap(-1, 0, pages*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return 0
		}
		_ = unix.Madvise(m, unix.MADV_NOHUGEPAGE) // else there would be one fault
		begin := clock.Now()
		for i := 0; i < len(m); i += page {
			m[i] = 1
		}
		costs = append(costs, (clock.Now()-begin)/pages)
		_ = unix.Munmap(m)
	}
	slices.Sort(costs)
	return costs[rounds/2]
}
