package probe

import (
	"math"
	"strings"
	"testing"
)

const g1Log = `[0.011s][info][gc] Using G1
[0.402s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->3M(256M) 1.500ms
[0.900s][info][gc] GC(1) Pause Young (Concurrent Start) (Metadata GC Threshold) 30M->5M(256M) 2.500ms
[0.901s][info][gc] GC(2) Concurrent Mark Cycle
[0.903s][info][gc] GC(2) Pause Remark 6M->6M(256M) 0.750ms
[0.904s][info][gc] GC(2) Pause Cleanup 6M->6M(256M) 0.250ms
[0.905s][info][gc] GC(2) Concurrent Mark Cycle 4.100ms
`

// Of two isolates, as Deno 2.9 prints them.
const v8Log = `[4572:0x559091e28000]       40 ms: Scavenge 3.2 (4.0) -> 2.3 (4.2) MB, pooled: 0.0 MB, 3.55 / 0.00 ms (average mu = 1.000, current mu = 1.000) allocation failure; 
[4572:0x559091f00000]       44 ms: Scavenge 3.2 (5.0) -> 2.2 (5.2) MB, pooled: 0.0 MB, 0.75 / 0.00 ms (average mu = 1.000, current mu = 1.000) allocation failure; 
[4572:0x559091f00000]       44 ms: Scavenge 3.2 (5.0) -> 2.2 (5.2) MB, pooled: 0.0 MB, 0.35 / 0.00 ms (average mu = 1.000, current mu = 1.000) allocation failure; 
[4572:0x559091e28000]      140 ms: Mark-Compact 9.2 (12.0) -> 5.3 (9.2) MB, pooled: 0.0 MB, 1.20 / 0.00 ms  (+ 2.5 ms in 8 steps since start of marking, biggest step 0.6 ms, walltime since start of marking 12 ms) (average mu = 0.991, current mu = 0.991) finalize incremental marking via stack guard; GC in old space requested
`

// Lines as HotSpot prints them, version 17 and 25.
func TestCollections(t *testing.T) {
	tests := []struct {
		name, log string
		want      collections
	}{
		{"G1", g1Log, collections{cycles: 3, pauses: 0.005, longest: 0.0025, heap: 6 << 20, sized: true}},
		{"Serial", `[1.0s][info][gc] GC(0) Pause Young (Allocation Failure) 16M->2M(61M) 3.000ms
[1.1s][info][gc] GC(1) Pause Full (System.gc()) 4M->1536K(61M) 5.000ms`, collections{cycles: 2, pauses: 0.008, longest: 0.005, heap: 1536 << 10, sized: true}},
		{"ZGC", `[0.1s][info][gc,phases] GC(0) Pause Mark Start 0.006ms
[0.2s][info][gc       ] GC(0) Garbage Collection (Warmup) 208M(10%)->36M(2%)`, collections{cycles: 1, pauses: 6e-6, longest: 6e-6, heap: 36 << 20, sized: true}},
		{"ZGC with generations", `[0.1s][info][gc,phases] GC(3) Y: Pause Mark Start (Major) 0.010ms
[0.2s][info][gc,phases] GC(3) O: Pause Mark End 0.002ms
[0.2s][info][gc       ] GC(3) Major Collection (Warmup) 1G(10%)->36M(2%) 0.034s`, collections{cycles: 4, pauses: 12e-6, longest: 10e-6, heap: 36 << 20, sized: true}},
		{"Shenandoah", `[0.1s][info][gc] GC(0) Pause Init Mark (unload classes) 0.500ms
[0.2s][info][gc] GC(0) Concurrent cleanup 34M->12M(64M) 0.013ms`, collections{cycles: 1, pauses: 5e-4, longest: 5e-4, heap: 12 << 20, sized: true}},
		{"all tags", `[1.2s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)
[1.2s][info][gc,phases   ] GC(0)   Pre Evacuate Collection Set: 0.1ms
[1.2s][info][gc,heap     ] GC(0) Eden regions: 23->0(10)
[1.2s][info][gc,metaspace] GC(0) Metaspace: 100M(110M)->100M(110M) NonClass: 90M(91M)->90M(91M)
[1.2s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->3M(256M) 1.000ms
[1.2s][info][gc,cpu      ] GC(0) User=0.00s Sys=0.00s Real=0.00s`, collections{cycles: 1, pauses: 0.001, longest: 0.001, heap: 3 << 20, sized: true}},
		{"without decorations", "GC(0) Pause Young (Normal) 24M->3M(256M) 1.000ms", collections{cycles: 1, pauses: 0.001, longest: 0.001, heap: 3 << 20, sized: true}},
		{"none", "[0.011s][info][gc] Using G1", collections{}},
		{"V8", v8Log, collections{cycles: 4, pauses: 0.00835, longest: 0.00355, heap: 7864319, sized: true,
			isolates: [maxIsolates]isolate{{0x559091e28000, 5557452}, {0x559091f00000, 2306867}}}},
		{"V8, as it was", "[1:0x5590]  40 ms: Mark-sweep (reduce) 3.2 (4.0) -> 2.0 (4.2) MB, 1.50 / 0.00 ms  (average mu = 1.000", collections{cycles: 1, pauses: 0.0015, longest: 0.0015, heap: 2 << 20, sized: true, isolates: [maxIsolates]isolate{{0x5590, 2 << 20}}}},
		{"what V8 can't do", `[1:0x5590] 40 ms: Scavenge 3.2 (4.0) -> 99999999999999999999 (4.2) MB, 1.2.3 / 0.00 ms
[1:0x0] 40 ms: Scavenge 3.2 (4.0) -> 2.3 (4.2) MB, 1.50 / 0.00 ms
[1:0x5590] 40 ms: Scavenge 3.2 (4.0) -> 2.3
[1:0x5590] something else`, collections{cycles: 1}},
		{"what nobody can do", `GC(18446744073709551615) Pause Young 1M->1M(1M) 1.000ms
GC(x) Pause Young 1M->1M(1M) 1.000ms
GC(0) Pause Young 1M->99999999999999999T(1M) -1.000ms
GC(0) Pause Young 1M->3(1M) NaNms
GC(0) Pause
GC(0
[GC(0) Pause Young 1.000ms`, collections{cycles: 1}},
	}
	for _, test := range tests {
		var got collections
		for line := range strings.Lines(test.log) {
			got.add([]byte(line))
		}
		if math.Abs(got.pauses-test.want.pauses) < 1e-12 {
			got.pauses = test.want.pauses
		}
		if math.Abs(got.longest-test.want.longest) < 1e-12 {
			got.longest = test.want.longest
		}
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

func FuzzGCLog(f *testing.F) {
	f.Add([]byte(g1Log))
	f.Add([]byte(v8Log))
	f.Add([]byte("GC(1) Y: Pause Mark Start 1ms\nGC(2) Major Collection 1G(1%)->2T(3%)"))
	f.Fuzz(func(t *testing.T, log []byte) {
		// However it comes in pieces, it says the same.
		var whole, pieces gcLog
		whole.take(append(log, '\n'))
		for i := range log {
			pieces.take(log[i : i+1])
		}
		pieces.take([]byte("\n"))
		if whole.told != pieces.told {
			t.Errorf("as a whole %+v, in pieces %+v", whole.told, pieces.told)
		}
		if c := whole.told; c.pauses < 0 || c.pauses < c.longest || c.cycles > mostEvents {
			t.Errorf("collections = %+v", c)
		}
	})
}

// Heaps of more isolates than are remembered can't be added up.
func TestManyIsolates(t *testing.T) {
	var c collections
	for i := range maxIsolates + 1 {
		if i > 0 && !c.sized {
			t.Fatalf("%d isolates are too many", i)
		}
		c.sizeIsolate(uint64(i+1), 10)
	}
	if c.sized {
		t.Errorf("the heap is %d bytes, as if all were known", c.heap)
	}
}
