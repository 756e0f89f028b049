package calibrate

import (
	"fmt"
	"time"
)

// Ability is what a machine can measure.
type Ability struct {
	OK   bool     `json:"ok"`
	Why  []string `json:"why,omitempty"` // what failed
	UpTo float64  `json:"up_to"`         // requests per second that can be sent on time
	// Above is the shortest response time of which the service is the larger
	// part.
	Above time.Duration `json:"above_ns"`
	// Difference is how far apart two measurements of the same thing can be:
	// smaller differences in time are not to be believed of single measurements.
	Difference time.Duration `json:"difference_ns"`
}

// Limits of an ability; they are those of the findings of the same name.
const (
	latest       = 2 * time.Millisecond // lag p99 up to which a rate is kept: as generator-late
	aboveFloor   = 2                    // as at-floor
	mayAllocate  = 0.05                 // objects per request: the collector's, once a window
	leastDiffers = time.Microsecond     // clocks and histograms say no less
)

// ability says what the engine that would be used can measure.
func (r *Report) ability(best *EngineReport) Ability {
	var v Ability
	fail := func(format string, args ...any) { v.Why = append(v.Why, fmt.Sprintf(format, args...)) }
	if best == nil {
		fail("no engine could be tested")
		return v
	}
	for _, l := range best.Lags {
		if l.Lag.P99 > latest {
			break // what a higher rate did well, it did by luck
		}
		v.UpTo = l.Rate
	}
	if v.UpTo == 0 {
		fail("one request in a hundred is sent more than %v late even at a tenth of the ceiling", latest)
	}
	if best.Name != "portable" && best.Allocations > mayAllocate {
		fail("the %s engine allocates %.2f objects a request", best.Name, best.Allocations)
	}
	if !r.Stall.Passed {
		fail("a pause of the server was not measured as it was: %s", r.Stall.Detail)
	}
	if !r.Freeze.Passed {
		fail("a pause of the generator was not marked: %s", r.Freeze.Detail)
	}
	v.Above, v.Difference = aboveFloor*best.Floor.P50, max(best.Repeats, leastDiffers)
	v.OK = len(v.Why) == 0
	return v
}
