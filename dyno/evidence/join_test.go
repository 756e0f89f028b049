package evidence

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// The requests of these tests come on connection us, and those of another on them; loop is
// the server's thread, pool another one. Times are in µs.
const (
	us, them, elsewhere = 1 << 16, 2 << 16, 0xffff_8000_0000_0000
	loop, pool, hog     = 11, 12, 99
	epoch               = int64(1e9) // when the requests are due
)

func at(t int64, kind Kind, thread int32, subject uint64, a uint32) Event {
	e := Event{Time: epoch + t*1000, Kind: kind, Thread: thread, Process: 10, Subject: subject, Call: -1, A: a}
	if thread == 0 {
		e.Process = 0
	}
	return e
}

// out is a thread that goes to sleep in a system call.
func out(t int64, thread int32, call string) Event {
	e := at(t, SwitchOut, thread, 0, 1)
	for number, name := range numbers[runtime.GOARCH] {
		if name == call {
			e.Call = number
		}
	}
	return e
}

func by(e Event, thread int32, comm string) Event {
	e.B = uint32(thread)
	copy(e.Text[:], comm)
	return e
}

// requested is a request on us that took so many ns.
func requested(took int64) Sample {
	return Sample{Class: Tail, Weight: 2, Connection: us, Opened: epoch - 1e6, Ordinal: 2, Intended: epoch, Sent: epoch, Done: epoch + took}
}

// waits that a request has when all is well: 10 µs each way, 5 to wake, 5 to get a CPU.
func ordinary(work ...Event) []Event {
	list := []Event{
		out(-100, loop, "epoll_wait"),
		at(10, Ready, 0, us, 1), at(15, Waking, loop, 0, 0), at(20, SwitchIn, loop, 0, 0), at(25, Received, loop, us, 80),
	}
	return append(list, work...)
}

func TestJoin(t *testing.T) {
	if numbers[runtime.GOARCH] == nil {
		t.Skip("no system calls of " + runtime.GOARCH)
	}
	upstream := by(at(30, UpstreamSent, loop, elsewhere, 10), 80|2<<16, "\x0a\x00\x00\x01")
	back := upstream
	back.Time, back.Kind = epoch+930e3, UpstreamReceived
	for _, tt := range []struct {
		name   string
		events []Event
		want   map[Stage]int64 // µs
		gaps   []Gap
	}{
		{"ordinary", ordinary(at(100, Sent, loop, us, 200), at(110, ClientReady, 0, us, 1)),
			map[Stage]int64{Generator: 890, Network: 20, Scheduler: 5, CPUWait: 5, OnCPU: 80}, nil},
		{"preempted", ordinary(by(at(40, SwitchOut, loop, 0, Preempted), hog, "hog"), at(840, SwitchIn, loop, 0, 0), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1)),
			map[Stage]int64{Network: 110, Scheduler: 5, CPUWait: 805, OnCPU: 80}, nil},
		{"throttled", ordinary(by(at(40, SwitchOut, loop, 0, Preempted|OutOfQuota), 0, "swapper"), at(840, SwitchIn, loop, 0, 0), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1)),
			map[Stage]int64{Network: 110, Scheduler: 5, CPUWait: 5, Throttled: 800, OnCPU: 80}, nil},
		{"lock", ordinary(out(40, loop, "futex"), at(830, Waking, loop, 0, 0), at(840, SwitchIn, loop, 0, 0), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1)),
			map[Stage]int64{Network: 110, Scheduler: 5, CPUWait: 15, Lock: 790, OnCPU: 80}, nil},
		{"upstream", ordinary(upstream, out(40, loop, "epoll_wait"), at(900, UpstreamReady, 0, elsewhere, 1), at(910, Waking, loop, 0, 0), at(920, SwitchIn, loop, 0, 0),
			back, at(950, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1)),
			map[Stage]int64{Network: 60, Scheduler: 5, CPUWait: 15, Upstream: 880, OnCPU: 40}, nil},
		{"busy with others", []Event{
			at(-100, SwitchIn, loop, 0, 0), at(-50, Received, loop, them, 80), at(10, Ready, 0, us, 1), at(800, Sent, loop, them, 80),
			at(810, Received, loop, us, 80), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1),
		}, map[Stage]int64{Network: 110, LoopQueue: 800, OnCPU: 90}, nil},
		{"another's lock", []Event{
			at(-100, SwitchIn, loop, 0, 0), at(-50, Received, loop, them, 80), out(-40, loop, "futex"), at(10, Ready, 0, us, 1),
			at(790, Waking, loop, 0, 0), at(790, SwitchIn, loop, 0, 0), at(800, Sent, loop, them, 80),
			at(810, Received, loop, us, 80), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1),
		}, map[Stage]int64{Network: 110, LoopQueue: 800, OnCPU: 90}, nil},
		{"handed to a pool", ordinary(by(at(30, Waking, pool, 0, 0), loop, "server"), out(35, loop, "epoll_wait"), at(130, SwitchIn, pool, 0, 0),
			at(900, Sent, pool, us, 200), at(1000, ClientReady, 0, us, 1)),
			map[Stage]int64{Network: 110, Scheduler: 5, CPUWait: 105, OnCPU: 780}, nil},
		{"stopped", []Event{
			at(-100, SwitchOut, loop, 0, 4), at(10, Ready, 0, us, 1), at(800, Waking, loop, 0, 0), at(800, SwitchIn, loop, 0, 0),
			at(810, Received, loop, us, 80), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1),
		}, map[Stage]int64{Network: 110, Stopped: 790, OnCPU: 100}, nil},
		{"not accepted", []Event{
			at(-100, SwitchIn, loop, 0, 0), at(10, Ready, 0, us, 0), at(810, Received, loop, us, 80), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1),
		}, map[Stage]int64{Network: 110, AcceptQueue: 800, OnCPU: 90}, nil},
		{"sent again", ordinary(at(100, Sent, loop, us, 200), at(500, Retransmitted, 0, us, 1), at(1000, ClientReady, 0, us, 1)),
			map[Stage]int64{Network: 10, Scheduler: 5, CPUWait: 5, OnCPU: 80, Retransmit: 900}, nil},
		{"not traced", []Event{at(5, SwitchIn, loop, 0, 0)}, map[Stage]int64{Unexplained: 1000}, []Gap{NotTraced}},
		{"spliced", []Event{at(10, Ready, 0, us, 1), at(20, SwitchIn, loop, 0, 0), at(900, Sent, loop, us, 200), at(1000, ClientReady, 0, us, 1)},
			map[Stage]int64{Network: 110, CPUWait: 10, OnCPU: 880}, []Gap{ReadNotSeen}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := requested(1e6)
			slices.SortStableFunc(tt.events, func(a, b Event) int { return int(a.Time - b.Time) })
			r := Join(&s, tt.events, Server{})
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
			want := make(map[Stage]int64)
			for stage, took := range tt.want {
				want[stage] = took * 1000
			}
			if got := r.Budget(); !reflect.DeepEqual(got, want) || !slices.Equal(r.Incomplete, tt.gaps) {
				t.Errorf("budget %v, gaps %v; want %v, %v\n%+v", got, r.Incomplete, want, tt.gaps, r.Intervals)
			}
		})
	}
}

// TestJoinNamesWho: whoever had the CPU, and whom the loop served instead.
func TestJoinNamesWho(t *testing.T) {
	s := requested(1e6)
	r := Join(&s, ordinary(by(at(40, SwitchOut, loop, 0, Preempted), hog, "hog"), at(840, SwitchIn, loop, 0, 0), at(900, Sent, loop, us, 200)), Server{})
	if !slices.ContainsFunc(r.Intervals, func(v Interval) bool { return v.By != nil && *v.By == Task{PID: hog, Comm: "hog"} }) {
		t.Errorf("nobody names the hog: %+v", r.Intervals)
	}
	r = Join(&s, []Event{at(-100, SwitchIn, loop, 0, 0), at(-50, Received, loop, them, 80), at(10, Ready, 0, us, 1), at(800, Sent, loop, them, 80), at(810, Received, loop, us, 80), at(900, Sent, loop, us, 200)}, Server{})
	if !slices.ContainsFunc(r.Intervals, func(v Interval) bool { return len(v.Others) == 1 && v.Others[0].Connection == them }) {
		t.Errorf("nobody names the connection that was served instead: %+v", r.Intervals)
	}
}

// TestFaultsAreTakenFromWork: their cost is a part of the thread's time, however many there were.
func TestFaultsAreTakenFromWork(t *testing.T) {
	for _, cost := range []int64{0, 100, 1e9} {
		sent := at(900, Sent, loop, us, 200)
		sent.Faults = 1000
		s := requested(1e6)
		r := Join(&s, ordinary(sent), Server{FaultCost: cost})
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		if got, want := r.Budget()[PageFault], min(cost*1000, 880e3); got != want || r.Faults != 1000 {
			t.Errorf("cost %d: page faults take %d ns, want %d; %d faults", cost, got, want, r.Faults)
		}
	}
}

// TestRecordsAreBounded: a request that is interrupted ten thousand times has a closed budget too.
func TestRecordsAreBounded(t *testing.T) {
	var events []Event
	for i := range int64(10_000) {
		events = append(events, at(30+2*i, SwitchOut, loop, 0, Preempted), at(31+2*i, SwitchIn, loop, 0, 0))
	}
	s := requested(30e6)
	r := Join(&s, ordinary(append(events, at(29_000, Sent, loop, us, 200))...), Server{})
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if n := len(r.Intervals); n > mostIntervals+len(Stages()) {
		t.Errorf("%d intervals", n)
	}
	if got := r.Budget(); got[CPUWait] != 10_005e3 {
		t.Errorf("%v", got)
	}
}

// FuzzJoin: whatever the events, the budget is closed.
func FuzzJoin(f *testing.F) {
	f.Add([]byte("\x01\x0b\x01\x00\x05\x04\x00\x01\x00\x05\x05\x0b\x01\x00\x05\x06\x0b\x01\x00\x05"), int64(1000), uint32(1))
	f.Fuzz(func(t *testing.T, data []byte, done int64, ordinal uint32) {
		if done < 0 || done > 1e12 {
			return
		}
		var events []Event
		now := int64(-50)
		for ; len(data) >= 5 && len(events) < 200; data = data[5:] {
			now += int64(data[4])
			e := at(now, Kind(data[0]%20), int32(data[1]%4)+loop-1, uint64(data[2]%3)<<16, uint32(data[3]))
			e.Call, e.B = int16(data[3]), uint32(data[1])
			if data[3]&1 != 0 {
				e.A |= Preempted
			}
			events = append(events, e)
		}
		s := Sample{Connection: us, Ordinal: ordinal, Opened: epoch + 1000, Intended: epoch, Sent: epoch + done/3, Done: epoch + done, Failed: ordinal%2 == 0, Waited: ordinal%5 < 3, Before: epoch - done/4, Thread: loop + int32(ordinal%4)}
		r := Join(&s, events, Server{FaultCost: int64(ordinal), Pooled: ordinal%3 == 0})
		if err := r.Check(); err != nil {
			t.Fatalf("%v\n%+v", err, r.Intervals)
		}
	})
}

func TestFile(t *testing.T) {
	s := requested(1e6)
	records := []Record{Join(&s, ordinary(at(900, Sent, loop, us, 200)), Server{})}
	header := Header{Version: Version, Port: 80, Counts: Counts{Requests: 3, Every: 1}, Off: []int{2}}
	var file bytes.Buffer
	if err := Write(&file, &header, records); err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(file.Bytes())
	h, got, err := Read(&file)
	if err != nil || !reflect.DeepEqual(*h, header) || !reflect.DeepEqual(got, records) {
		t.Errorf("%+v %+v %v", h, got, err)
	}
	for n := range whole {
		if _, _, err := Read(bytes.NewReader(whole[:n])); err == nil {
			t.Fatalf("the first %d of %d bytes are read without complaint", n, len(whole))
		}
	}
}

func TestReadRefusesWhatIsNotClosed(t *testing.T) {
	r := Record{Done: 10, Intervals: []Interval{{Stage: OnCPU, From: 0, To: 4}, {Stage: Lock, From: 5, To: 10}}}
	var file bytes.Buffer
	if err := Write(&file, &Header{Version: Version}, []Record{r}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(&file); err == nil {
		t.Error("a budget with a hole is read")
	}
}

// TestEventIsWhatTheProgramsWrite: 64 bytes, as in events.bpf.c.
func TestEventIsWhatTheProgramsWrite(t *testing.T) {
	if n := binary.Size(Event{}); n != 64 || reflect.TypeFor[Event]().Size() != 64 {
		t.Errorf("%d bytes", n)
	}
}

func TestConnectionName(t *testing.T) {
	if got := connectionName(ConnectionID([]byte{127, 0, 0, 1}, 4242)); got != "127.0.0.1:4242" {
		t.Error(got)
	}
}
