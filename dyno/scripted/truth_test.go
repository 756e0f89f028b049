package scripted

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestFitStartFindsTheScheduleUnderDelays(t *testing.T) {
	const rate, start, n = 5000.0, int64(1e12), 20_000
	random := rand.New(rand.NewPCG(1, 2))
	arrivals := make([]int64, n)
	for k := range arrivals {
		at := start + int64(float64(k)*1e9/rate)
		at += int64(random.ExpFloat64() * 20_000) // 20 µs on the way
		if phase := (at - start) % 5e9; phase > 4e9 {
			at += 5e9 - phase // a freeze
		}
		arrivals[k] = at
	}
	slices.Sort(arrivals)
	if off := FitStart(arrivals, rate) - start; off < 0 || off > 5_000 {
		t.Errorf("the start is off by %d ns", off)
	}
}

func TestScriptedTruthOfAFrozenServer(t *testing.T) {
	script := Script{Freeze: time.Second, Every: 5 * time.Second}
	times := Scripted(script, 500, 10_000)
	slices.Sort(times)
	for p, want := range map[float64]time.Duration{50: 0, 79: 0, 90: 500 * time.Millisecond, 99: 950 * time.Millisecond} {
		got := time.Duration(Percentile(times, p))
		if off := (got - want).Abs(); off > 2*time.Millisecond { // the schedule's step
			t.Errorf("p%v = %v, want %v", p, got, want)
		}
	}
}

func TestRecordedCountsFromTheSchedule(t *testing.T) {
	r := Record{
		Arrival:  []int64{1000, 2500, 3000, 4000},
		Due:      []int64{1100, 2600, 3100, 4100},
		Response: []int64{1200, 2700, 0, 4100},
	}
	for _, c := range []struct {
		name      string
		got, want []int64
	}{
		{"recorded", r.Recorded(1e6, 1000), []int64{200, 700, 100}},
		{"service", r.Service(), []int64{200, 200, 100}},
		{"error", r.Error(), []int64{100, 100, 0}},
		{"lateness", Lateness(r.Arrival, 1e6, 1000), []int64{0, 500, 0, 0}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	values := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for p, want := range map[float64]int64{0: 1, 10: 1, 10.1: 2, 50: 5, 99: 10, 100: 10} {
		if got := Percentile(values, p); got != want {
			t.Errorf("p%v = %d, want %d", p, got, want)
		}
	}
	many := make([]int64, 10_000)
	for i := range many {
		many[i] = int64(i + 1)
	}
	if got := Percentile(many, 99.9); got != 9990 {
		t.Errorf("p99.9 of 1 to 10,000 = %d", got)
	}
	if got := Percentile(nil, 50); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}
