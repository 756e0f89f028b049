package stats

import (
	"math"
	"testing"
)

// The example of Benjamini and Hochberg, section 3.1: fifteen p-values, of which four
// are discoveries at 0.05.
func TestFalseDiscovery(t *testing.T) {
	p := []float64{0.4262, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.5719, 0.6528, 0.7590, 1}
	if limit, count := FalseDiscovery(p, 0.05); count != 4 || math.Abs(limit-0.05*4/15) > 1e-12 {
		t.Errorf("%d up to %v", count, limit)
	}
	if limit, count := FalseDiscovery([]float64{0.02, 0.9}, 0.01); limit != 0 || count != 0 {
		t.Errorf("%d up to %v", count, limit)
	}
	if _, count := FalseDiscovery(nil, 0.05); count != 0 {
		t.Errorf("%d of none", count)
	}
}
