package speed

// What a turn of each kind of work does, its loop apart.
const (
	chainOperations = 2
	wideOperations  = 14
)

// chain multiplies and adds, so many turns, each from the result of the one
// before. A turn takes as long as the two instructions have latency, four cycles
// on most CPUs, in which a core could do ten others and more.
//
// Neither kind of work is inlined: the compiler then has to do it.
//
//go:noinline
func chain(turns int, x uint64) uint64 {
	for range turns {
		x = x*6364136223846793005 + 1
	}
	return x
}

// wide keeps seven sums apart, so many turns. A turn needs two cycles for what
// depends on each other, and more than that for what a core can do at once: 14
// instructions and the loop's own two, where cores of today have four to six units
// for such. So it is those units it waits for.
//
// Sixteen instructions come out even on four units. With eight sums such a core
// fell into one of two rhythms, a tenth apart, and stayed there for a while.
//
//go:noinline
func wide(turns int, k uint64) uint64 {
	a, b, c, d := k, k+1, k+2, k+3
	e, f, g := k+4, k+5, k+6
	for i := range uint64(turns) {
		a = (a + i) ^ k
		b = (b + i) ^ k
		c = (c + i) ^ k
		d = (d + i) ^ k
		e = (e + i) ^ k
		f = (f + i) ^ k
		g = (g + i) ^ k
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g
}
