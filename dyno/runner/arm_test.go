package runner

import (
	"testing"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/probe"
)

// What a slice used is what its clocks say, unless they can't have seen all of it: then it is
// its part of the whole, by the requests.
func TestPartOfALoad(t *testing.T) {
	turn := load.Turn{Requests: 800, All: 1000, Used: 9 * time.Millisecond}
	whole := probe.Process{CPU: 10 * time.Millisecond, CPUUser: 4 * time.Millisecond, CPUSys: 6 * time.Millisecond, SwitchesVol: 50, RSS: 7}
	for name, c := range map[string]struct {
		seen   time.Duration
		change func(*probe.Process)
		want   time.Duration
	}{
		"by its clocks":                    {9800 * time.Microsecond, func(*probe.Process) {}, 9 * time.Millisecond},
		"a child that came and went":       {5 * time.Millisecond, func(*probe.Process) {}, 8 * time.Millisecond},
		"a child that is there since then": {9800 * time.Microsecond, func(p *probe.Process) { p.Begun = 1 }, 8 * time.Millisecond},
		"one that ended":                   {9800 * time.Microsecond, func(p *probe.Process) { p.Ended = []string{"b"} }, 8 * time.Millisecond},
	} {
		p := whole
		c.change(&p)
		var rest remainder
		got := rest.partOf(&p, &turn, c.seen)
		if got.CPU != c.want || got.CPUUser != c.want*2/5 || got.CPUUser+got.CPUSys != got.CPU {
			t.Errorf("%s: %v (%v and %v), want %v", name, got.CPU, got.CPUUser, got.CPUSys, c.want)
		}
		if got.SwitchesVol != 40 || got.RSS != 7 {
			t.Errorf("%s: %d switches of 50 in four fifths of the requests, %d held of 7", name, got.SwitchesVol, got.RSS)
		}
	}
}

// What is rare adds up over the slices: of one preemption in each load, four fifths are in the
// slices that are cut out of them, and of one in every fourth load too.
func TestPartsOfFewAddUp(t *testing.T) {
	turn := load.Turn{Requests: 800, All: 1000}
	for every, want := range map[int]uint64{1: 800, 4: 200} {
		var rest remainder
		var sum probe.Process
		for i := range 1000 {
			p := probe.Process{SwitchesVol: 3}
			if i%every == 0 {
				p.SwitchesInvol = 1
			}
			addUsed(&sum, rest.partOf(&p, &turn, 0))
		}
		if got := sum.SwitchesInvol; got+1 < want || got > want {
			t.Errorf("one preemption in every %d loads: %d in 1000 slices, want %d", every, got, want)
		}
		if got := sum.SwitchesVol; got+1 < 2400 || got > 2400 {
			t.Errorf("%d switches in 1000 slices, want 2400", got)
		}
	}
}
