package main

// compute is work for the CPU alone, some 10 µs: no memory, no calls, no system.
func compute() func() int {
	return func() int { return int(mix(10_000) % 1_000_000) }
}

// mix draws n numbers of Marsaglia's xorshift generator (2003) and returns the
// last. The loop has no call, so Go can interrupt it by a signal only.
//
//go:noinline
func mix(n int) uint64 {
	x := uint64(88172645463325252)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
