package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// What helpers say is described in dyno/docs/add-a-language.md, and what Go's says beyond that in
// its package, dyno/subjects/go/dynoprobe. It comes from the program under test and is not
// trusted.

const (
	maxHelperLine    = 64 << 10 // bytes; honest lines have 2 to 8 KiB
	maxHelperBuckets = 4096
	mostEvents       = 1 << 42 // in a bucket: those of all buckets and helpers fit a counter
	helperVersion    = 1
)

// hello is the helper's first line.
type hello struct {
	Version int `json:"dynoprobe"`
	PID     int `json:"pid"`
	// Tells names the figures that its responses have, as in a [Window]. Go's helper,
	// which reports all of them, leaves it out.
	Tells  []string `json:"tells"`
	Uppers struct {
		GCPauses       []float64 `json:"gc_pauses"`
		SchedLatencies []float64 `json:"sched_latencies"`
	} `json:"uppers"`
}

func parseHello(line []byte) (*hello, error) {
	var h hello
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("reading the helper's first line: %w", err)
	}
	if h.Version != helperVersion {
		return nil, fmt.Errorf("the helper speaks version %d, dyno %d: build the subject with the helper that came with dyno", h.Version, helperVersion)
	}
	if len(h.Tells) > len(runtimeNames) {
		return nil, fmt.Errorf("the helper tells %d figures, there are %d", len(h.Tells), len(runtimeNames))
	}
	for _, name := range h.Tells {
		if !slices.Contains(runtimeNames, name) {
			return nil, fmt.Errorf("the helper tells %.40q, which is no figure; there are %s", name, strings.Join(runtimeNames, ", "))
		}
	}
	for name, uppers := range map[string][]float64{"gc_pauses": h.Uppers.GCPauses, "sched_latencies": h.Uppers.SchedLatencies} {
		if len(uppers) == 0 && h.Tells != nil {
			continue
		}
		if len(uppers) == 0 || len(uppers) > maxHelperBuckets || !slices.IsSorted(uppers) || slices.ContainsFunc(uppers, unbounded) {
			return nil, fmt.Errorf("the helper's buckets for %s are not ascending times", name)
		}
	}
	return &h, nil
}

func unbounded(f float64) bool { return math.IsInf(f, 0) || math.IsNaN(f) }

// response is the helper's response to a sample.
type response struct {
	Mono           int64        `json:"mono"` // CLOCK_MONOTONIC at the reading, ns
	GCCycles       uint64       `json:"gc_cycles"`
	GCCPU          float64      `json:"gc_cpu_s"`
	GCPause        float64      `json:"gc_pause_s"`     // added up; of a runtime that has no gc_pauses
	GCPauseMax     float64      `json:"gc_pause_max_s"` // since the previous response; the same
	Heap           uint64       `json:"heap"`
	AllocBytes     uint64       `json:"alloc_bytes"`
	Allocs         uint64       `json:"allocs"`
	Goroutines     uint64       `json:"goroutines"`
	LockWait       *float64     `json:"lock_wait_s"` // of all goroutines, since the process began; nil if it isn't told
	GCPauses       bucketCounts `json:"gc_pauses"`
	SchedLatencies bucketCounts `json:"sched_latencies"`
	SelfMicros     float64      `json:"self_us"` // of the previous response
}

func parseResponse(line []byte, h *hello) (response, error) {
	var a response
	if err := json.Unmarshal(line, &a); err != nil {
		return response{}, fmt.Errorf("reading the helper's response: %w", err)
	}
	lockWait := 0.0
	if a.LockWait != nil {
		lockWait = *a.LockWait
	}
	err := errors.Join(
		fit("lock_wait_s", lockWait),
		fit("gc_cpu_s", a.GCCPU), fit("self_us", a.SelfMicros), fit("gc_pause_s", a.GCPause), fit("gc_pause_max_s", a.GCPauseMax),
		a.GCPauses.fit(len(h.Uppers.GCPauses)+1),
		a.SchedLatencies.fit(len(h.Uppers.SchedLatencies)+1),
	)
	if err != nil {
		return response{}, fmt.Errorf("reading the helper's response: %w", err)
	}
	return a, nil
}

// mostTime bounds what is a time, whatever its unit: sums of a few stay finite,
// and so can be archived.
const mostTime = 1e15

// fit makes sure that a number is a time.
func fit(name string, time float64) error {
	if !(time >= 0 && time <= mostTime) {
		return fmt.Errorf("%s: %g is not a time", name, time)
	}
	return nil
}

// bucketCounts are the counts of a histogram, one for each bucket, zero or not.
// On the wire they are pairs of index and count.
type bucketCounts struct{ counts []uint64 }

func (b *bucketCounts) UnmarshalJSON(data []byte) error {
	var pairs [][2]uint64
	if err := json.Unmarshal(data, &pairs); err != nil {
		return err
	}
	for _, p := range pairs {
		if p[0] > maxHelperBuckets {
			return fmt.Errorf("bucket %d is out of range", p[0])
		}
		if p[1] > mostEvents {
			return fmt.Errorf("%d events in bucket %d can't be", p[1], p[0])
		}
		b.counts = slices.Grow(b.counts, int(p[0])+1)
		b.counts = b.counts[:max(len(b.counts), int(p[0])+1)]
		b.counts[p[0]] = p[1]
	}
	return nil
}

// fit makes sure that there is a count for each of n buckets, and no other.
func (b *bucketCounts) fit(n int) error {
	if len(b.counts) > n {
		return fmt.Errorf("bucket %d of %d", len(b.counts)-1, n)
	}
	b.counts = append(b.counts, make([]uint64, n-len(b.counts))...)
	return nil
}
