package explain

import (
	"math"

	"dyno.example/dyno/stats"
)

// liftOf is how many times as often something was with the slow as with the ordinary:
// the ratio of a/n to b/m with its 95 % interval on the logarithmic scale (Katz et al. 1978),
// each count with half a request added, so that none among the ordinary isn't infinitely often
// (Walter 1975).
func liftOf(a, n, b, m int) stats.Interval {
	x, y := float64(a)+0.5, float64(b)+0.5
	nn, mm := float64(n)+0.5, float64(m)+0.5
	log := math.Log(x/nn) - math.Log(y/mm)
	const z = 1.959964
	half := z * math.Sqrt(1/x-1/nn+1/y-1/mm)
	return stats.Interval{N: n, Estimate: math.Exp(log), Low: math.Exp(log - half), High: math.Exp(log + half), Level: level}
}
