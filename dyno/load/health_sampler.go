package load

import (
	"math"
	"runtime/metrics"
	"time"

	"dyno.example/dyno/load/measure"
)

// healthSampler takes the health of one window after the other. It belongs to
// the collector's goroutine: the loops pay nothing for it.
type healthSampler struct {
	system  systemHealth
	runtime []metrics.Sample
	last    healthTotals
}

// healthTotals are the counters that windows are differences of.
type healthTotals struct {
	steal    time.Duration
	gcCycles uint64
	gcPause  time.Duration
	wall     time.Duration // wall clock ahead of the monotonic one
	boot     time.Duration // clock that goes on in suspension, ahead of it
}

func newHealthSampler() *healthSampler {
	h := &healthSampler{system: openSystemHealth(), runtime: []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"},
	}}
	h.last = h.read()
	return h
}

func (h *healthSampler) close() { h.system.close() }

func (h *healthSampler) read() healthTotals {
	var t healthTotals
	h.system.read(&t)
	metrics.Read(h.runtime)
	if v := h.runtime[0].Value; v.Kind() == metrics.KindUint64 {
		t.gcCycles = v.Uint64()
	}
	if v := h.runtime[1].Value; v.Kind() == metrics.KindFloat64Histogram {
		t.gcPause = sumOf(v.Float64Histogram())
	}
	return t
}

// sumOf adds up a histogram of seconds, each at its bucket's upper end.
func sumOf(h *metrics.Float64Histogram) time.Duration {
	sum := 0.0
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		bound := h.Buckets[i+1]
		if math.IsInf(bound, 1) {
			bound = h.Buckets[i]
		}
		sum += float64(n) * bound
	}
	return time.Duration(sum * 1e9)
}

// since returns what happened since the last call, or since the sampler was
// made.
func (h *healthSampler) since() measure.Health {
	now := h.read()
	before := h.last
	h.last = now
	return measure.Health{
		Steal:     max(0, now.steal-before.steal), // hypervisors have been seen to take some back
		GCCycles:  now.gcCycles - before.gcCycles,
		GCPause:   max(0, now.gcPause-before.gcPause),
		ClockStep: beyondNoise(now.wall - before.wall),
		Suspended: max(0, beyondNoise(now.boot-before.boot)),
	}
}

// beyondNoise leaves out what reading two clocks one after the other can make.
func beyondNoise(d time.Duration) time.Duration {
	if d.Abs() < clockNoise {
		return 0
	}
	return d
}
