package probe

import (
	"testing"
	"time"
)

func TestPSSIsReadRarely(t *testing.T) {
	const second = int64(time.Second)
	r := &pssReader{}
	if !r.due(1, false) {
		t.Error("it is not read at the first snapshot")
	}
	for _, c := range []struct {
		name string
		took time.Duration
		next int64
		now  int64
		must bool
		want bool
	}{
		{"too soon", 100 * time.Microsecond, 10 * second, 9 * second, false, false},
		{"in time", 100 * time.Microsecond, 10 * second, 10 * second, false, true},
		{"of a large process, not while it is loaded", 2 * time.Millisecond, 10 * second, 60 * second, false, false},
		{"of a large process, at the end", 2 * time.Millisecond, 10 * second, 9 * second, true, true},
	} {
		r := &pssReader{took: c.took, next: c.next}
		if got := r.due(c.now, c.must); got != c.want {
			t.Errorf("%s: due %t, want %t", c.name, got, c.want)
		}
	}
}

// A child shares most of its program with its parent: both together have less PSS than
// RSS, and the first has less once the other is there.
func TestPSSOfATree(t *testing.T) {
	a := newActor(t)
	a.tell("child")
	var p *ProcessProbe
	var began time.Time
	var first ProcessTotals
	var w Process
	// A program that begins grows between the reading of its RSS and that of its PSS.
	for range 100 {
		p = watch(t, a.pid())
		p.WatchPSS()
		began = time.Now()
		var err error
		if first, err = p.Snapshot(); err != nil {
			t.Fatal(err)
		}
		if len(first.missing) > 0 {
			t.Skipf("not to be had here: %q", first.missing)
		}
		if w = first.Since(ProcessTotals{}); w.PSS < w.RSS {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if w.Processes != 2 || w.PSS == 0 || w.PSS >= w.RSS {
		t.Errorf("%d processes with a PSS of %d of an RSS of %d", w.Processes, w.PSS, w.RSS)
	}
	if again := snapshot(t, p).Since(first); again.PSS != 0 && time.Since(began) < time.Second {
		t.Error("it was read twice within a second")
	}
	last, err := p.Last()
	if err != nil || last.pss == 0 {
		t.Errorf("at the end it is %d, %v", last.pss, err)
	}
}

func TestPSSOfTooManyProcesses(t *testing.T) {
	r := &pssReader{}
	if _, err := r.read(make([]*member, pssMembers+1), newReader(0)); err == nil {
		t.Error("no error")
	}
}
