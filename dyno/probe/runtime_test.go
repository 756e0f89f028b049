package probe

import (
	"slices"
	"testing"
	"time"
)

// counted makes a response with buckets of 1 ms and 2 ms.
func counted(cycles, heap uint64, counts ...uint64) response {
	return response{
		GCCycles: cycles, Heap: heap, Goroutines: 10, SelfMicros: 3, GCCPU: float64(cycles) / 100,
		GCPauses: bucketCounts{counts}, SchedLatencies: bucketCounts{counts},
	}
}

// A helper that does not tell of locks is not taken for one whose program never waits.
func TestLocksAreUnknownToOlderHelpers(t *testing.T) {
	for _, told := range []*float64{nil, new(0.0)} {
		totals := RuntimeTotals{helpers: []helperTotals{{id: 1, hello: &hello{}, response: response{LockWait: told}}}}
		if got := slices.Contains(totals.Reported(), "lock_wait"); got != (told != nil) {
			t.Errorf("told %v: reported is %v", told, got)
		}
	}
}

func TestRuntimeSince(t *testing.T) {
	h := &hello{}
	h.Uppers.GCPauses = []float64{0.001, 0.002}
	h.Uppers.SchedLatencies = h.Uppers.GCPauses
	one := func(id int, a response) helperTotals { return helperTotals{id: id, hello: h, response: a} }
	late := one(1, counted(1, 100, 1, 0, 0))
	late.late = true
	read := func(at int64, a response) response {
		a.Mono = at
		return a
	}
	totals := func(h ...helperTotals) RuntimeTotals { return RuntimeTotals{helpers: h} }
	tests := []struct {
		name string
		a, b RuntimeTotals
		want Runtime
		ok   bool
	}{
		{
			name: "one program",
			a:    totals(one(1, counted(1, 100, 1, 0, 0))),
			b:    totals(one(1, counted(4, 150, 1, 2, 0))),
			want: Runtime{GCCycles: 3, Heap: 150, Goroutines: 10, HelperCPUus: 3, GCCPU: 30 * time.Millisecond, GCPause: 3 * time.Millisecond, GCPauseMax: 2 * time.Millisecond, SchedP50: 2 * time.Millisecond, SchedP99: 2 * time.Millisecond, SchedMax: 2 * time.Millisecond},
			ok:   true,
		}, {
			name: "two programs, the second new",
			a:    totals(one(1, counted(1, 100, 1, 0, 0))),
			b:    totals(one(1, counted(1, 100, 3, 0, 0)), one(2, counted(2, 50, 0, 1, 0))),
			want: Runtime{GCCycles: 2, Heap: 150, Goroutines: 20, HelperCPUus: 6, GCCPU: 20 * time.Millisecond, GCPause: 2500 * time.Microsecond, GCPauseMax: 2 * time.Millisecond, SchedP50: time.Millisecond, SchedP99: 2 * time.Millisecond, SchedMax: 2 * time.Millisecond},
			ok:   true,
		}, {
			name: "two that say when they read",
			a:    totals(one(1, read(100, counted(1, 100))), one(2, read(200, counted(1, 100)))),
			b:    totals(one(1, read(1_100, counted(1, 100))), one(2, read(1_500, counted(1, 100)))),
			want: Runtime{Length: 1_150, Heap: 200, Goroutines: 20, HelperCPUus: 6},
			ok:   true,
		}, {
			name: "one that says it read before",
			a:    totals(one(1, read(100, counted(1, 100)))),
			b:    totals(one(1, read(50, counted(1, 100)))),
			want: Runtime{Heap: 100, Goroutines: 10, HelperCPUus: 3},
			ok:   true,
		}, {
			name: "one has ended",
			a:    totals(one(1, counted(5, 100, 5, 5, 5)), one(2, counted(1, 1, 1, 0, 0))),
			b:    totals(one(2, counted(1, 7, 1, 0, 0))),
			want: Runtime{Heap: 7, Goroutines: 10, HelperCPUus: 3},
			ok:   true,
		},
		{
			name: "waits for locks",
			a:    totals(one(1, response{LockWait: new(0.25)})),
			b:    totals(one(1, response{LockWait: new(1.0)}), one(2, response{LockWait: new(0.5)})),
			want: Runtime{LockWait: 1250 * time.Millisecond},
			ok:   true,
		},
		{name: "late at the end", a: totals(one(1, counted(1, 100, 1, 0, 0))), b: totals(late)},
		{name: "late at the beginning", a: totals(late), b: totals(one(1, counted(2, 100, 1, 0, 0)))},
		{name: "all have ended", a: totals(late), b: totals()},
	}
	for _, test := range tests {
		got, ok := test.b.Since(test.a)
		if got != test.want || ok != test.ok {
			t.Errorf("%s: got %+v, %v\nwant %+v, %v", test.name, got, ok, test.want, test.ok)
		}
	}
}
