package probe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// logged appends to the log of a listener, as a JVM does.
func logged(t *testing.T, l *RuntimeListener, text string) {
	t.Helper()
	file, err := os.OpenFile(l.Env()[gcLogEnv], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// A log is read on from where it was read to, and cut off within a line if need be.
func TestSamplerWithLog(t *testing.T) {
	l := newListener(t)
	s := New(Config{Runtime: l})
	t.Cleanup(s.Close)
	none := s.Snapshot()
	if none.Runtime != nil || none.helped || none.Err() == nil {
		t.Errorf("without a log: runtime %+v, error %v", none.Runtime, none.Err())
	}
	logged(t, l, "[1s] Using G1\n")
	a := s.Snapshot()
	logged(t, l, "[1s] GC(0) Pause Young (Normal) 24M->3M(256M) 2.000ms\n[1s] GC(1) Pause Young (Normal) 24M->4M(2")
	b := s.Snapshot()
	logged(t, l, "56M) 1.000ms\n")
	c := s.Snapshot()

	first, second := s.Between(a, b), s.Between(b, c)
	if r := first.Runtime; r == nil || r.GCCycles != 1 || r.GCPause != 2*time.Millisecond || r.GCPauseMax != r.GCPause || r.Heap != 3<<20 || r.Length <= 0 {
		t.Errorf("first window: %+v", r)
	}
	if r := second.Runtime; r == nil || r.GCCycles != 1 || r.GCPause != time.Millisecond || r.GCPauseMax != r.GCPause || r.Heap != 4<<20 {
		t.Errorf("second window: %+v", r)
	}
	if !first.Lacks("sched") || !first.Lacks("alloc_bytes") || first.Lacks("gc_cycles", "gc_pause", "gc_pause_max", "heap") {
		t.Errorf("missing: %q", first.Missing)
	}
	if w := s.Between(a, a); !w.Lacks("heap") {
		t.Errorf("no collection has told of the heap yet, missing are %q", w.Missing)
	}
}

func TestLogThatIsTooMuchAtOnce(t *testing.T) {
	l := newListener(t)
	line := "[1s] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->3M(256M) 0.001ms\n"
	const lines = gcLogBlock * (maxGCLogBlocks + 1) / 64
	logged(t, l, strings.Repeat(line, lines))
	if _, err := l.Sample(context.Background()); err == nil || !strings.Contains(err.Error(), "no response within") {
		t.Errorf("error = %v: what was read is not all there is", err)
	}
	for range 3 {
		if totals, err := l.Sample(context.Background()); err == nil {
			if want := 0.000001 * lines; totals.helpers[0].GCPause < want*0.999 {
				t.Errorf("pauses of %g s, want %g", totals.helpers[0].GCPause, want)
			}
			return
		}
	}
	t.Error("it is never read to its end")
}

func TestLogWithALongLine(t *testing.T) {
	l := newListener(t)
	logged(t, l, "[1s] "+strings.Repeat("x", 3*maxGCLogLine)+"\n"+g1Log)
	totals, err := l.Sample(context.Background())
	if err != nil || totals.helpers[0].GCCycles != 3 {
		t.Errorf("got %+v, %v", totals, err)
	}
}

func TestLogThatCantBeRead(t *testing.T) {
	l := newListener(t)
	logged(t, l, g1Log)
	if _, err := l.Sample(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(l.Env()[gcLogEnv], 10); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Sample(context.Background()); err == nil || !strings.Contains(err.Error(), "filecount=0") {
		t.Errorf("cut: %v", err)
	}
	l = newListener(t)
	if err := os.Mkdir(l.Env()[gcLogEnv], 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Sample(context.Background()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// A helper that names what it tells leaves the rest missing.
func TestHelperThatTellsLess(t *testing.T) {
	l := newListener(t)
	const response = `{"mono":%d,"gc_cycles":%d,"gc_pause_s":%g,"gc_pause_max_s":0.002,"self_us":3}`
	go reply(connect(t, l, `{"dynoprobe":1,"pid":7,"tells":["gc_cycles","gc_pause","gc_pause_max","helper_us"]}`),
		fmt.Sprintf(response, 1, 2, 0.001), fmt.Sprintf(response, 1_000_001, 5, 0.004))
	settle(t, l, 1)
	s := New(Config{Runtime: l})
	t.Cleanup(s.Close)
	a, b := s.Snapshot(), s.Snapshot()
	w := s.Between(a, b)
	want := Runtime{Length: time.Millisecond, GCCycles: 3, GCPause: 3 * time.Millisecond, GCPauseMax: 2 * time.Millisecond, HelperCPUus: 3}
	if w.Runtime == nil || *w.Runtime != want {
		t.Errorf("runtime = %+v, want %+v", w.Runtime, want)
	}
	for _, name := range runtimeNames {
		if tells := slices.Contains([]string{"gc_cycles", "gc_pause", "gc_pause_max", "helper_us"}, name); w.Lacks(name) == tells {
			t.Errorf("%s: missing is %v, and told %v", name, w.Lacks(name), tells)
		}
	}
}

func TestCloseRemovesTheLog(t *testing.T) {
	l := newListener(t)
	logged(t, l, g1Log)
	if _, err := l.Sample(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(l.Env()[gcLogEnv])); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
}
