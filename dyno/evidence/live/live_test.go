package live

import (
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

const ms = int64(1e6)

func event(kind evidence.Kind, at int64, connection uint64, a uint32) evidence.Event {
	return evidence.Event{Kind: kind, Time: at * ms, Subject: connection, A: a, Thread: 1, Process: 1}
}

// Requests are found in what comes and goes on connections, whatever the turns in which
// events are taken.
func TestFinder(t *testing.T) {
	const a, b = 7, 8
	type span struct {
		connection  uint64
		begin, done int64
	}
	for _, c := range []struct {
		name   string
		events []evidence.Event
		want   []span
		open   int
	}{
		{"one", []evidence.Event{event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Sent, 15, a, 9)}, []span{{a, 10, 15}}, 0},
		{"a response in pieces", []evidence.Event{event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Sent, 15, a, 9), event(evidence.Sent, 25, a, 9)}, []span{{a, 10, 25}}, 0},
		{"one after the other", []evidence.Event{
			event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Sent, 15, a, 9),
			event(evidence.Ready, 20, a, 5), event(evidence.Received, 21, a, 5), event(evidence.Sent, 29, a, 9),
		}, []span{{a, 10, 15}, {a, 20, 29}}, 0},
		{"a body in pieces", []evidence.Event{event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Ready, 12, a, 5), event(evidence.Received, 13, a, 5), event(evidence.Sent, 15, a, 9)}, []span{{a, 10, 15}}, 0},
		{"pipelined", []evidence.Event{event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Sent, 15, a, 9), event(evidence.Received, 16, a, 5), event(evidence.Sent, 18, a, 9)}, []span{{a, 10, 15}, {a, 16, 18}}, 0},
		{"two connections", []evidence.Event{event(evidence.Ready, 10, a, 5), event(evidence.Ready, 11, b, 5), event(evidence.Received, 12, b, 5), event(evidence.Sent, 13, b, 9), event(evidence.Received, 14, a, 5)}, []span{{b, 11, 13}}, 1},
		{"its end is no request", []evidence.Event{event(evidence.State, 10, a, 1<<8|8), event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 0), event(evidence.State, 12, a, 8<<8|9)}, nil, 0},
		{"its end with a request before", []evidence.Event{event(evidence.Ready, 9, a, 5), event(evidence.State, 10, a, 1<<8|8), event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Sent, 12, a, 5), event(evidence.State, 12, a, 8<<8|9)}, []span{{a, 9, 12}}, 0},
		{"given up by the server", []evidence.Event{event(evidence.Ready, 9, a, 5), event(evidence.Received, 11, a, 5), event(evidence.State, 12, a, 1<<8|4)}, nil, 0},
		{"what the server says first", []evidence.Event{event(evidence.Sent, 10, a, 5)}, nil, 0},
		{"unread", []evidence.Event{event(evidence.Ready, 10, a, 5)}, nil, 1},
		{"a failed sending", []evidence.Event{event(evidence.Ready, 10, a, 5), event(evidence.Received, 11, a, 5), event(evidence.Sent, 15, a, ^uint32(10))}, nil, 1},
	} {
		for _, turn := range []int64{1, 3, 1000} {
			var f finder
			var got []span
			for to := turn; to < 1000+turn; to += turn {
				for _, s := range f.take(c.events, to*ms, nil) {
					got = append(got, span{s.Connection, s.Intended / ms, s.Done / ms})
				}
			}
			if n, _ := f.open(); !slices.Equal(got, c.want) || n != c.open {
				t.Errorf("%s, in turns of %d ms: %v, %d open", c.name, turn, got, n)
			}
		}
	}
}

func TestOldest(t *testing.T) {
	var f finder
	f.take([]evidence.Event{event(evidence.Ready, 10, 1, 5), event(evidence.Ready, 4, 2, 5)}, 100*ms, nil)
	if n, since := f.open(); n != 2 || since != 4*ms {
		t.Errorf("%d since %d", n, since)
	}
}

func TestView(t *testing.T) {
	var b builder
	var samples []evidence.Sample
	for i := range int64(100) {
		samples = append(samples, evidence.Sample{Connection: uint64(i % 2), Intended: 1, Done: 1 + (i+1)*ms})
	}
	b.ended(samples)
	b.looked(&evidence.Record{ConnectionID: 1, Connection: "one", Done: 2, Intervals: []evidence.Interval{{Stage: evidence.OnCPU, To: 2 * ms}}}, false)
	b.looked(&evidence.Record{ConnectionID: 1, Connection: "one", Done: 2, Intervals: []evidence.Interval{
		{Stage: evidence.Upstream, To: 90 * ms, Peer: "db:1"}, {Stage: evidence.Upstream, From: 90 * ms, To: 95 * ms, Peer: "other"}, {Stage: evidence.CPUWait, From: 95 * ms, To: 100 * ms, By: &evidence.Task{PID: 1, Comm: "hog"}},
	}}, true)
	v := b.view(time.Second)
	if v.Requests != 100 || v.Median != 51*time.Millisecond || v.P99 != 100*time.Millisecond || v.Slowest != 1 || v.Drawn != 1 {
		t.Errorf("%+v", v)
	}
	want := []Stage{{evidence.Upstream, 0, 95 * time.Millisecond, "db:1"}, {evidence.CPUWait, 0, 5 * time.Millisecond, "hog"}, {evidence.OnCPU, 2 * time.Millisecond, 0, ""}}
	if !slices.Equal(v.Stages, want) {
		t.Errorf("%+v", v.Stages)
	}
	if !slices.Equal(v.Connections, []Connection{{"one", 50, 51 * time.Millisecond, 100 * time.Millisecond, evidence.Upstream}}) {
		t.Errorf("%+v", v.Connections)
	}
	if v := (&builder{}).view(time.Second); v.Requests != 0 || len(v.Stages) != 0 {
		t.Errorf("%+v", v)
	}
}

func TestListening(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F91 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4243 1 0000000000000000 100 0 0 10 0
  broken
`
	if got := listening(table); len(got) != 1 || got["4242"] != 8080 {
		t.Errorf("%v", got)
	}
}
