package evidence

import (
	"encoding/binary"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// loader is the load's thread, of another process than the server's.
const loader = 51

// ofLoader is an event of the load's thread.
func ofLoader(e Event) Event {
	e.Thread, e.Process = loader, 50
	return e
}

// ownThread is an event of another thread of the load's process.
func ownThread(e Event) Event {
	e.Thread, e.Process = 52, 50
	return e
}

func stall(t int64, cpu uint32, late int64) Event {
	e := at(t, Stall, 0, 0, cpu)
	e.B = uint32(late * 1000)
	return e
}

// frames are where a thread's code was at a tick.
func frames(e Event, code ...uint64) Event {
	e.Subject = code[0]
	for i, c := range code[1:] {
		binary.LittleEndian.PutUint64(e.Text[8*i:], c)
	}
	return e
}

// collectorCode are the functions of the server that collect garbage, handlerCode is elsewhere.
var collectorCode = map[int32]Codes{10: CodesOf([]Code{{0x5000, 0x6000}, {0x4000, 0x5000}, {0x9000, 0x9100}})}

const handlerCode = 0x7000

// A request of 100 ms: whoever is held up, by what, is told by the causes and not by whom it hit.
func TestJoinChargesCauses(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	// Of the request before, which had the connection: due 50 ms earlier, waited for the disk.
	before := []Event{
		out(-50_100, loop, "epoll_wait"), at(-50_010, Sent, loop, us, 80), at(-49_990, Ready, 0, us, 1), at(-49_985, Waking, loop, 0, 0), at(-49_980, SwitchIn, loop, 0, 0),
		at(-49_970, Received, loop, us, 80), out(-49_900, loop, "fsync"), at(59_800, Waking, loop, 0, 0), at(59_900, SwitchIn, loop, 0, 0),
		at(59_950, Sent, loop, us, 200), at(59_960, ClientReady, 0, us, 1),
	}
	after := []Event{
		at(60_010, Ready, 0, us, 1), at(60_020, Received, loop, us, 80), at(99_900, Sent, loop, us, 200), at(99_950, ClientReady, 0, us, 1),
	}
	quick := ordinary(at(1000, Sent, loop, us, 200), at(1010, ClientReady, 0, us, 1))
	for _, tt := range []struct {
		name   string
		sample func(*Sample)
		events []Event
		want   map[Stage]int64 // µs
	}{
		{"it waits behind another that waits for the disk", func(s *Sample) {
			s.Waited, s.Before, s.Sent = true, epoch-50e6, epoch+60e6
		}, slices.Concat(before, after), map[Stage]int64{Disk: 59_800, CPUWait: 100, OnCPU: 39_940, Network: 70, Generator: 90}},
		{"nothing was seen of what it waits behind", func(s *Sample) {
			s.Waited, s.Before, s.Sent = true, epoch-50e6, epoch+60e6
		}, after, map[Stage]int64{Generator: 60_050, Network: 60, OnCPU: 39_890}},
		{"it waits behind another on a connection that several share", func(s *Sample) {
			s.Waited, s.Before, s.Sent, s.Shared = true, epoch-50e6, epoch+60e6, true
		}, slices.Concat(before, after), map[Stage]int64{Generator: 60_050, Network: 60, OnCPU: 39_890}},
		{"the load's thread waits for a CPU that a hog has", func(s *Sample) { s.Thread = loader }, slices.Concat(quick, []Event{
			ofLoader(at(-10, SwitchIn, 0, 0, 0)), by(ofLoader(at(500, SwitchOut, 0, 0, Preempted)), hog, "hog"), ofLoader(at(99_000, SwitchIn, 0, 0, 0)),
		}), map[Stage]int64{Network: 20, Scheduler: 5, CPUWait: 5 + 97_990, OnCPU: 980, Generator: 1000}},
		{"the load's thread waits for its own process", func(s *Sample) { s.Thread = loader }, slices.Concat(quick, []Event{
			ofLoader(at(-10, SwitchIn, 0, 0, 0)), by(ofLoader(at(500, SwitchOut, 0, 0, Preempted)), 52, "dyno"), ofLoader(at(99_000, SwitchIn, 0, 0, 0)),
			ownThread(at(500, SwitchIn, 0, 0, 0)), ownThread(at(60_000, SwitchOut, 0, 0, Preempted)), // then others have it, and last it again for a moment
			ownThread(at(98_000, SwitchIn, 0, 0, 0)), ownThread(out(99_000, 0, "futex")),
		}), map[Stage]int64{Network: 20, Scheduler: 5, CPUWait: 5 + 38_000, OnCPU: 980, Generator: 60_990}},
		{"the load's thread is at something else", func(s *Sample) { s.Thread = loader }, slices.Concat(quick, []Event{ofLoader(at(-10, SwitchIn, 0, 0, 0))}),
			map[Stage]int64{Network: 20, Scheduler: 5, CPUWait: 5, OnCPU: 980, Generator: 98_990}},
		{"the load's quota", func(s *Sample) { s.Thread = loader }, slices.Concat(quick, []Event{
			ofLoader(at(-10, SwitchIn, 0, 0, 0)), ofLoader(at(500, SwitchOut, 0, 0, Preempted|OutOfQuota)), ofLoader(at(99_000, SwitchIn, 0, 0, 0)),
		}), map[Stage]int64{Network: 20, Scheduler: 5, CPUWait: 5, OnCPU: 980, Generator: 98_990}},
		{"its thread's CPU stands still", nil, slices.Concat(ordinary(at(99_900, Sent, loop, us, 200), at(99_990, ClientReady, 0, us, 1)), []Event{
			stall(60_000, 0, 30_000), stall(80_000, 1, 15_000),
		}), map[Stage]int64{Network: 100, Scheduler: 5, CPUWait: 5, Stolen: 30_000, OnCPU: 69_880, Generator: 10}},
		{"the CPU that it is to get stands still", nil, []Event{
			out(-100, loop, "epoll_wait"), at(10, Ready, 0, us, 1), at(15, Waking, loop, 0, 0), stall(49_000, 1, 40_000), at(50_000, SwitchIn, loop, 0, 1),
			at(50_010, Received, loop, us, 80), at(99_900, Sent, loop, us, 200), at(99_990, ClientReady, 0, us, 1),
		}, map[Stage]int64{Network: 100, Scheduler: 5, CPUWait: 9_985, Stolen: 40_000, OnCPU: 49_900, Generator: 10}},
		{"the load's CPU stands still", func(s *Sample) { s.Thread = loader }, slices.Concat(quick, []Event{ofLoader(at(-10, SwitchIn, 0, 0, 1)), stall(90_000, 1, 80_000)}),
			map[Stage]int64{Network: 20, Scheduler: 5, CPUWait: 5, OnCPU: 980, Generator: 18_990, Stolen: 80_000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := requested(100e6)
			if tt.sample != nil {
				tt.sample(&s)
			}
			slices.SortStableFunc(tt.events, func(a, b Event) int { return int(a.Time - b.Time) })
			r := Join(&s, tt.events, Server{})
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
			want := make(map[Stage]int64)
			for stage, took := range tt.want {
				want[stage] = took * 1000
			}
			if got := r.Budget(); !reflect.DeepEqual(got, want) {
				t.Errorf("budget %v, want %v\n%+v", got, want, r.Intervals)
			}
		})
	}
}

// Its bytes wait while another thread of the server collects, or is at something else, for 40 ms:
// the collector's share is what ticks saw it at, whatever the phase.
func TestWaitsForTheCollectorAreItsOwn(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	for _, tt := range []struct {
		name string
		code []uint64
		want Stage
	}{
		{"it sweeps", []uint64{0x5800}, Collect},
		{"what it calls is called by others too", []uint64{handlerCode, 0x9001}, Collect},
		{"called from far", []uint64{handlerCode, handlerCode, 0x4001}, Collect},
		{"it handles another request in the collector's phase", []uint64{handlerCode, 0x3fff, 0x6000}, Scheduler},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events := []Event{
				out(-100, loop, "futex"), at(10, Ready, 0, us, 1), at(-50, SwitchIn, pool, 0, 0), at(40_000, Waking, loop, 0, 0), at(40_000, SwitchIn, loop, 0, 0),
				at(40_010, Received, loop, us, 80), at(99_900, Sent, loop, us, 200), at(99_990, ClientReady, 0, us, 1), collecting(0), collecting(30_000),
				out(40_000, pool, "futex"),
			}
			for k := range int64(40) {
				e := at(500+1000*k, Tick, pool, 0, tickUser)
				events = append(events, frames(e, tt.code...))
			}
			slices.SortStableFunc(events, func(a, b Event) int { return int(a.Time - b.Time) })
			s := requested(100e6)
			r := Join(&s, events, Server{Pooled: true, Collectors: collectorCode})
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
			if got := r.Budget()[tt.want]; got < 39e6 || got > 41e6 {
				t.Errorf("%s has %d of 40 ms\n%+v", tt.want, got, r.Intervals)
			}
		})
	}
}

// A request's own thread that is made to help the collector isn't at work.
func TestHelpingTheCollectorIsNoWork(t *testing.T) {
	events := ordinary(at(99_900, Sent, loop, us, 200), at(99_990, ClientReady, 0, us, 1))
	for k := range int64(99) {
		code := uint64(handlerCode)
		if k < 50 {
			code = 0x4500
		}
		events = append(events, frames(at(500+1000*k, Tick, loop, 0, tickUser), code))
	}
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.Time - b.Time) })
	s := requested(100e6)
	r := Join(&s, events, Server{Collectors: collectorCode})
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if got := r.Budget(); got[Collect] < 49e6 || got[Collect] > 51e6 {
		t.Errorf("gc has %d of 50 ms: %v", got[Collect], got)
	}
}

// A wait in the load is followed back through those that had the connection one after another.
func TestBehindSeveral(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	events := []Event{out(-100, loop, "epoll_wait"), at(-50, Sent, loop, us, 80)}
	for k := range int64(4) { // each is held by a lock for 9 ms of 10
		b := 10_000 * k
		events = append(events, at(b, Ready, 0, us, 1), at(b, Waking, loop, 0, 0), at(b+10, SwitchIn, loop, 0, 0), at(b+20, Received, loop, us, 80),
			out(b+30, loop, "futex"), at(b+9_030, Waking, loop, 0, 0), at(b+9_040, SwitchIn, loop, 0, 0), at(b+9_900, Sent, loop, us, 80), at(b+9_910, ClientReady, 0, us, 1),
			out(b+9_920, loop, "epoll_wait"))
	}
	s := requested(39_950e3)
	s.Waited, s.Before, s.Sent = true, epoch+20e6, epoch+30e6
	r := Join(&s, events, Server{})
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	behind := int64(0)
	for _, v := range r.Intervals {
		if v.Behind {
			behind += v.To - v.From
		}
	}
	if got := r.Budget(); got[Lock] != 36e6 || got[Generator] > 1e6 || behind != 30e6 {
		t.Errorf("behind others for %d of 30 ms; %v", behind, got)
	}
}
