package probe

import (
	"slices"
	"strings"
	"testing"
)

const (
	goodHello    = `{"dynoprobe":1,"pid":7,"go":"go1.26.0","uppers":{"gc_pauses":[0,1e-6,1e-3],"sched_latencies":[0,1e-3]}}`
	goodResponse = `{"mono":1,"gc_cycles":2,"gc_cpu_s":0.003,"heap":4,"alloc_bytes":5,"allocs":6,"goroutines":7,"lock_wait_s":0.25,"gc_pauses":[[1,2],[3,4]],"sched_latencies":[[0,9]],"self_us":8.5}`
)

func TestParseHello(t *testing.T) {
	h, err := parseHello([]byte(goodHello))
	if err != nil || h.PID != 7 || !slices.Equal(h.Uppers.SchedLatencies, []float64{0, 1e-3}) {
		t.Errorf("got %+v, %v", h, err)
	}
	for name, line := range map[string]string{
		"empty":         "",
		"not JSON":      "hello",
		"other version": strings.Replace(goodHello, `:1,`, `:2,`, 1),
		"no buckets":    strings.Replace(goodHello, "[0,1e-3]", "[]", 1),
		"not ascending": strings.Replace(goodHello, "[0,1e-3]", "[1,0]", 1),
		"no figure":     `{"dynoprobe":1,"tells":["gc_cycels"]}`,
		"many figures":  `{"dynoprobe":1,"tells":[` + strings.Repeat(`"heap",`, 99) + `"heap"]}`,
		"too many":      strings.Replace(goodHello, "[0,1e-3]", "[0"+strings.Repeat(",0", maxHelperBuckets)+"]", 1),
	} {
		if got, err := parseHello([]byte(line)); err == nil {
			t.Errorf("%s: no error, but %+v", name, got)
		}
	}
}

func TestParseResponse(t *testing.T) {
	h, err := parseHello([]byte(goodHello))
	if err != nil {
		t.Fatal(err)
	}
	a, err := parseResponse([]byte(goodResponse), h)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.GCPauses.counts, []uint64{0, 2, 0, 4}) || !slices.Equal(a.SchedLatencies.counts, []uint64{9, 0, 0}) {
		t.Errorf("counts = %v and %v", a.GCPauses.counts, a.SchedLatencies.counts)
	}
	if a.GCCycles != 2 || a.GCCPU != 0.003 || a.Heap != 4 || a.AllocBytes != 5 || a.Allocs != 6 || a.Goroutines != 7 || a.LockWait == nil || *a.LockWait != 0.25 || a.SelfMicros != 8.5 {
		t.Errorf("response = %+v", a)
	}
	for name, line := range map[string]string{
		"empty":          "",
		"not JSON":       "sample",
		"no such bucket": strings.Replace(goodResponse, "[3,4]", "[4,4]", 1),
		"huge bucket":    strings.Replace(goodResponse, "[3,4]", "[18446744073709551615,4]", 1),
		"negative":       strings.Replace(goodResponse, "[3,4]", "[-3,4]", 1),
		"not a count":    strings.Replace(goodResponse, `"heap":4`, `"heap":-4`, 1),
		"countless":      strings.Replace(goodResponse, "[3,4]", "[3,18446744073709551615]", 1),
		"no time":        strings.Replace(goodResponse, "8.5", "1e308", 1),
		"before time":    strings.Replace(goodResponse, "0.003", "-1", 1),
		"no lock":        strings.Replace(goodResponse, "0.25", "-0.25", 1),
		"no pause":       strings.Replace(goodResponse, `"heap"`, `"gc_pause_s":-1,"heap"`, 1),
		"no longest":     strings.Replace(goodResponse, `"heap"`, `"gc_pause_max_s":1e99,"heap"`, 1),
	} {
		if got, err := parseResponse([]byte(line), h); err == nil {
			t.Errorf("%s: no error, but %+v", name, got)
		}
	}
}

func FuzzHelperLines(f *testing.F) {
	f.Add([]byte(goodHello), []byte(goodResponse))
	f.Add([]byte(`{"dynoprobe":1,"tells":["gc_pause"]}`), []byte(`{"gc_pause_s":1,"gc_pause_max_s":2,"gc_pauses":[[0,7]]}`))
	f.Add([]byte(goodHello), []byte(`{"gc_pauses":null,"sched_latencies":[[0,18446744073709551615],[0,1]]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		h, err := parseHello(first)
		if err != nil {
			return
		}
		a, err := parseResponse(second, h)
		if err != nil {
			return
		}
		totals := RuntimeTotals{helpers: []helperTotals{{id: 1, hello: h, response: a}}}
		r, ok := totals.Since(RuntimeTotals{})
		if !ok || r.GCPause < 0 || r.SchedMax < r.SchedP50 {
			t.Errorf("runtime = %+v", r)
		}
	})
}
