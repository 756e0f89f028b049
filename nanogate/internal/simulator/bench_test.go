//go:build linux

package simulator

import "testing"

// BenchmarkWorlds says how many exchanges a second and CPU are simulated.
func BenchmarkWorlds(b *testing.B) {
	n := 0
	for seed := uint64(1); b.Loop(); seed++ {
		n += Run(Draw(seed, *exchanges), Options{}).Exchanges
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "exchanges/s")
}
