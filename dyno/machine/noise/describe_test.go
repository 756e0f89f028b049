package noise

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

func TestWriteNoise(t *testing.T) {
	r := &Report{
		Plan: Quick(), Generator: []int{0}, Unusable: 2,
		CPUs: []CPU{
			{Number: 0, Hiccups: measure.Hiccups{Over: time.Second, Longest: 3 * time.Millisecond, Taken: 0.0123}},
			{Number: 1, Hiccups: measure.Hiccups{Over: time.Second, Longest: 40 * time.Microsecond, Taken: 0.0001}},
		},
		Timers: []calibrate.TimerReport{
			{Pacing: calibrate.Hybrid, Late: measure.Times{P50: 500, P99: 20_000, Max: 1_000_000}},
			{Pacing: calibrate.Sleep, Error: "no such thing"},
		},
		Loopback: measure.Times{Min: 12_000, P50: 15_000, P99: 60_000, Max: 2_000_000},
		Spreads: []Spread{
			{Figure: "throughput", Mean: 81234, Trial: 0.015, Components: stats.Components{Starts: 6, Runs: 3, Within: 0.009, Between: 0.012}, Detectable: []Detectable{{Blocks: 3, Difference: 0.0812}, {Blocks: 20, Difference: 0.0161}}},
			{Figure: "cpu", Mean: 4.3e-6, Trial: 0.005, Components: stats.Components{Starts: 6, Runs: 3, Within: 0.005}, Detectable: []Detectable{{Blocks: 3, Difference: 0.0249}, {Blocks: 20, Difference: 0.00531}}},
		},
	}
	const want = `
  A thread that only spins        was stopped for at most    and lost
  on CPU 0                                            3ms       1.23%
  on CPU 1                                           40µs       0.01%

  woken up late by                       p50         p99         max
  timer, then polling                  0.5µs        20µs         1ms
  Go's timer                     no such thing

  one loopback exchange                  min         p50         p99         max
                                        12µs        15µs        60µs         2ms

  a server that costs nothing, 6 starts of 3 runs of 1s
  varies by (standard deviation)        mean  run to run  start to start   a trial
  requests per second                  81234        0.9%            1.2%      1.5%
  CPU per request                      4.3µs        0.5%            0.0%      0.5%
  2 of the 18 runs had no second that a study would have counted.

  the smallest difference that a study of so many blocks sees here, 9 times of 10, at 95% confidence
  blocks                                 3        20
  requests per second                 8.1%      1.6%
  CPU per request                     2.5%      0.5%
`
	var b strings.Builder
	Describe(&b, r, i18n.Message.String)
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
