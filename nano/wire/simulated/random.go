package simulated

// Random is a source of chance (SplitMix64): as small as a number, so that each thing that
// happens by chance can have its own, and what one draws doesn't change what others get.
type Random uint64

// Seeded makes one for whatever has that seed and those numbers.
func Seeded(seed uint64, of ...uint64) *Random {
	r := Random(seed)
	for _, n := range of {
		r = Random(r.Next() ^ n*0x9E3779B97F4A7C15)
	}
	r.Next()
	return &r
}

// Next draws 64 bits.
func (r *Random) Next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below draws a number from 0 to n-1; 0 if n is not above that.
func (r *Random) Below(n int) int {
	if n <= 1 {
		return 0
	}
	return int(r.Next() % uint64(n))
}

// OneIn is true once in n times.
func (r *Random) OneIn(n int) bool { return r.Below(n) == 0 }

// Between draws a number from a to b.
func (r *Random) Between(a, b int) int { return a + r.Below(b-a+1) }
