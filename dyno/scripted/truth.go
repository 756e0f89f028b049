package scripted

import (
	"math"
	"slices"
)

// FitStart returns when a uniform schedule of the given rate (requests per
// second) began, judged by the arrivals it led to, in order and in ns: the time
// at which request 0 was intended, plus the least delay on the way.
//
// Requests are late in all sorts of ways, but hardly early. So it is the first
// percentile of what each arrival says about the start, not the mean.
func FitStart(arrivals []int64, rate float64) int64 {
	if len(arrivals) == 0 {
		return 0
	}
	gap := 1e9 / rate
	starts := make([]int64, len(arrivals))
	for k, at := range arrivals {
		starts[k] = at - int64(float64(k)*gap)
	}
	slices.Sort(starts)
	return Percentile(starts, 1)
}

// Lateness returns by how much each arrival was later than its place in a
// uniform schedule that began at start, in ns.
func Lateness(arrivals []int64, rate float64, start int64) []int64 {
	gap := 1e9 / rate
	late := make([]int64, len(arrivals))
	for k, at := range arrivals {
		late[k] = at - start - int64(float64(k)*gap)
	}
	return late
}

// Scripted returns the response times, in ns, that the script alone gives n
// requests arriving exactly on a uniform schedule: what a perfect network and a
// perfect server would have shown.
func Scripted(script Script, rate float64, n int) []int64 {
	gap := 1e9 / rate
	times := make([]int64, n)
	for k := range times {
		at := int64(float64(k) * gap)
		times[k] = script.Due(k, at, 0) - at
	}
	return times
}

// Recorded returns the response times that happened, in ns: from a request's
// place in a uniform schedule that began at start to the server's response. It
// holds the server's own error, and what requests waited before they reached
// it. Requests without a response are left out.
func (r *Record) Recorded(rate float64, start int64) []int64 {
	gap := 1e9 / rate
	times := make([]int64, 0, len(r.Response))
	for k, at := range r.Response {
		if at != 0 {
			times = append(times, at-start-int64(float64(k)*gap))
		}
	}
	return times
}

// Service returns what the server took from each arrival to its response, in ns,
// without requests that never got a response.
func (r *Record) Service() []int64 {
	times := make([]int64, 0, len(r.Response))
	for k, at := range r.Response {
		if at != 0 {
			times = append(times, at-r.Arrival[k])
		}
	}
	return times
}

// Error returns by how much each response was later than the script wanted, in ns.
func (r *Record) Error() []int64 {
	times := make([]int64, 0, len(r.Response))
	for k, at := range r.Response {
		if at != 0 {
			times = append(times, at-r.Due[k])
		}
	}
	return times
}

// Percentile returns the smallest value that at least p percent of the sorted
// values don't exceed; 0 if there are none.
func Percentile(sorted []int64, p float64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	const rounding = 1e-9 // 99.9 % of 10,000 comes out a hair above 9990
	rank := int(math.Ceil(p/100*float64(len(sorted)) - rounding))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
