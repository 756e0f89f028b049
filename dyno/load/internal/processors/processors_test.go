package processors

import (
	"runtime"
	"testing"
)

func TestProcessorsOfSeveralLoads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var p processors
	check := func(want int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%d loops: GOMAXPROCS %d, want %d", p.held, got, want)
		}
	}
	first := p.hold(1)
	check(2)
	second := p.hold(2)
	check(4)
	first()
	check(3)
	second()
	check(2)
}
