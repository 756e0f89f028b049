package stats

import (
	"math/rand/v2"
	"slices"
)

// divisive looks for the places where the distribution of points in a series
// changes: E-divisive with the exponent 1 (Matteson and James, "A Nonparametric
// Approach for Multiple Change Point Analysis of Multivariate Data", Journal of
// the American Statistical Association 109, 2014). It knows the points by their
// distances only, so that they may have any number of dimensions.
type divisive struct {
	distance     [][]float64 // between all pairs of points, in order
	least        int         // points of a segment, at least 2
	p            float64     // a change is one whose p-value is at most this
	permutations int
	random       *rand.Rand
	sums         []float64 // of cut, to be used again
}

// segment is a stretch of the series: points from, …, to−1.
type segment struct{ from, to int }

func (s segment) len() int { return s.to - s.from }

// cut is the best place to divide a segment in two.
type cut struct {
	at     int     // first point of what follows
	energy float64 // statistic Q of the paper: how far the parts are apart
}

// found is a change with the probability that chance alone finds as large a one.
type found struct {
	at int
	p  float64
}

// changes divides the series again and again where the parts differ most, until
// what is left to divide is no more than a permutation of its points gives. The
// order is that in which they were found.
func (d *divisive) changes() []found {
	segments := []segment{{0, len(d.distance)}}
	cuts := []cut{d.cut(inOrder(segments[0]))}
	var all []found
	for {
		best := 0
		for i := range cuts {
			if cuts[i].energy > cuts[best].energy {
				best = i
			}
		}
		if cuts[best].energy <= 0 {
			return all
		}
		p := d.chance(segments, cuts[best].energy)
		if p > d.p {
			return all
		}
		whole, at := segments[best], segments[best].from+cuts[best].at
		all = append(all, found{at, p})
		left, right := segment{whole.from, at}, segment{at, whole.to}
		segments[best], cuts[best] = left, d.cut(inOrder(left))
		segments, cuts = append(segments, right), append(cuts, d.cut(inOrder(right)))
	}
}

// inOrder lists the points of a segment.
func inOrder(s segment) []int {
	points := make([]int, s.len())
	for i := range points {
		points[i] = s.from + i
	}
	return points
}

// chance is the p-value of the best cut: the share of permutations of the points
// within their segments whose best cut is as good, the one observed among them.
// It stops early, with a value above d.p, once that is certain.
func (d *divisive) chance(segments []segment, energy float64) float64 {
	orders := make([][]int, len(segments))
	for i, s := range segments {
		orders[i] = inOrder(s)
	}
	const rounding = 1 - 1e-9 // sums of the same distances in another order
	total := float64(d.permutations + 1)
	as := 1.0
	for range d.permutations {
		if d.bestOf(orders) >= energy*rounding {
			if as++; as/total > d.p {
				break
			}
		}
	}
	return as / total
}

// bestOf shuffles the orders and returns the energy of the best cut of any.
func (d *divisive) bestOf(orders [][]int) (energy float64) {
	for _, order := range orders {
		d.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		energy = max(energy, d.cut(order).energy)
	}
	return energy
}

// cut finds the best place to cut the points in the order given: where those
// before it are farthest from the next ones, up to any later point. That the
// second part may end early keeps a change from being hidden by another one
// (section 3.1 of the paper). Sums of distances are carried from place to place,
// so that all takes no longer than going through the pairs of points twice.
func (d *divisive) cut(order []int) (best cut) {
	n := len(order)
	if n < 2*d.least {
		return cut{}
	}
	if len(d.sums) < 2*n {
		d.sums = make([]float64, 2*n)
	}
	first, before := d.sums[:n], d.sums[n:2*n]
	clear(first)
	for k := range order {
		row := d.distance[order[k]]
		before[k] = 0
		for _, other := range order[:k] {
			before[k] += row[other]
		}
	}
	within := 0.0 // distances among the points of the first part
	for at := 1; at <= n-d.least; at++ {
		within += before[at-1]
		row := d.distance[order[at-1]]
		for k := at; k < n; k++ {
			first[k] += row[order[k]]
		}
		if at < d.least {
			continue
		}
		if energy := d.across(first, before, at, within); energy > best.energy {
			best = cut{at, energy}
		}
	}
	return best
}

// across is the largest energy between the points before at and those from at
// up to any later one. first and before hold, of each point, the distances to
// those of the first part and to all before it.
func (d *divisive) across(first, before []float64, at int, within float64) (largest float64) {
	m := float64(at)
	cross, beyond := 0.0, 0.0 // distances between the parts; among the second
	for end := at; end < len(first); end++ {
		cross += first[end]
		beyond += before[end] - first[end]
		if end-at+1 < d.least {
			continue
		}
		n := float64(end - at + 1)
		energy := m * n / (m + n) * (2*cross/(m*n) - 2*within/(m*(m-1)) - 2*beyond/(n*(n-1)))
		largest = max(largest, energy)
	}
	return largest
}

// newDivisive looks for changes that chance makes with the probability p, with at
// least so many points between two. It is nil if there are too few points for one.
func newDivisive(distance [][]float64, least int, p float64, seed uint64) *divisive {
	n := len(distance)
	d := &divisive{distance: distance, least: max(2, least), p: p}
	if n < 2*d.least {
		return nil
	}
	const pairs = 20_000_000 // to go through
	d.permutations = min(max(pairs/(n*n), 99), 499)
	d.random = rand.New(rand.NewPCG(seed, 0x65646976))
	return d
}

// distances of all pairs of n points.
func distances(n int, between func(i, j int) float64) [][]float64 {
	all := make([]float64, n*n)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = all[i*n : (i+1)*n]
		for j := range i {
			rows[i][j] = between(i, j)
			rows[j][i] = rows[i][j]
		}
	}
	return rows
}

// medianOf is the median of values in any order, at least one.
func medianOf(values []float64) float64 { return medianOfSorted(slices.Sorted(slices.Values(values))) }
