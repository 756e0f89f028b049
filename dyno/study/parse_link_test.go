package study

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

func TestLinkOfALoad(t *testing.T) {
	s := parse(t, minimal+`loads:
  - {name: churn, closed: {}, reuse: none, sources: [127.0.0.2-127.0.0.3, "::1"], fast_open: true, nagle: true, quick_ack: true, read_rate: 1MB}
  - {name: aged, open: {rate: 10}, reuse: 100, max_age: 30s, pacing: spin}
  - {name: many, closed: {}, http2: true, streams: 10}
`)
	want := request.Link{
		Reuse: request.NoReuse, FastOpen: true, Nagle: true, QuickAck: true, ReadRate: 1e6,
		Sources: []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3"), netip.MustParseAddr("::1")},
	}
	if got := s.Loads[0].Link; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	want = request.Link{Reuse: request.PerWorker, PerConnection: 100, MaxAge: 30 * time.Second}
	var plan strings.Builder
	expand(t, s, 1).Describe(&plan, i18n.Message.String)
	for _, says := range []string{"; reuse=none; sources=127.0.0.2 and 2 more\n", "; reuse=100; max_age=30s; pacing=spin\n", "; http2; streams=10\n"} {
		if !strings.Contains(plan.String(), says) {
			t.Errorf("%q is missing in %s", says, &plan)
		}
	}
	if got := s.Loads[1]; !reflect.DeepEqual(got.Link, want) || got.Pacing != profile.SpinPacing {
		t.Errorf("got %+v", got)
	}
}

// TestStreamsOfALoad: HTTP/2 is what a load with streams speaks.
func TestStreamsOfALoad(t *testing.T) {
	s := parse(t, minimal+`loads:
  - {name: single, closed: {}, http2: true}
  - {name: many, closed: {}, http2: true, streams: 10}
  - {name: old, closed: {}, http2: false}
`)
	for i, want := range []int{1, 10, 0} {
		if got := s.Loads[i].Link.Streams; got != want {
			t.Errorf("%s: %d streams, want %d", s.Loads[i].Name, got, want)
		}
	}
	s = parse(t, minimal+`loads: [{closed: {}, http2: true}]
factors: {streams: [1, 10, 100]}
twin: false
`)
	var got []int
	for _, c := range expand(t, s, 1).Cells {
		got = append(got, c.Link.Streams)
	}
	if want := []int{1, 10, 100}; !reflect.DeepEqual(got, want) {
		t.Errorf("streams %v", got)
	}
}

// TestProtocolAsFactor: HTTP/1.1 is next to HTTP/2 once, whatever the numbers of streams.
func TestProtocolAsFactor(t *testing.T) {
	for _, tt := range []struct{ name, factors, load, want string }{
		{"alone", "{protocol: [http1, http2]}", "", "http1/:0 http2/:1"},
		{"alone, with streams of the load", "{protocol: [http2, http1]}", ", http2: true, streams: 10", "http2/:10 http1/:0"},
		{"with streams", "{protocol: [http1, http2], streams: [1, 10, 100]}", "", "http1/1:0 http2/1:1 http2/10:10 http2/100:100"},
		{"streams first", "{streams: [10, 1], protocol: [http1, http2]}", ", http2: true", "http1/1:0 http2/10:10 http2/1:1"},
		{"one at a time", "{protocol: [http2, http1], streams: [1, 10]}\ndesign: one-at-a-time", "", "http2/1:1 http1/1:0 http2/10:10"},
		{"HTTP/2 only", "{protocol: [http2], streams: [5]}", "", "http2/5:5"},
	} {
		s := parse(t, minimal+"loads: [{closed: {}"+tt.load+"}]\nfactors: "+tt.factors+"\ntwin: false\n")
		var got []string
		for i, c := range expand(t, s, 1).Cells {
			if c.Point != i {
				t.Errorf("%s: cell %d is of point %d", tt.name, i, c.Point)
			}
			got = append(got, fmt.Sprintf("%s/%s:%d", c.Levels["protocol"], c.Levels["streams"], c.Link.Streams))
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
	p := expand(t, parse(t, minimal+"loads: [{closed: {}}]\nfactors: {protocol: [http1, http2], streams: {from: 1, to: 64}}\ndesign: {latin-hypercube: {samples: 8}}\n"), 1)
	single := 0
	for i := range p.Cells {
		if c := &p.Cells[i]; !c.Twin && c.Levels["protocol"] == "http1" {
			single++
		}
	}
	points := make(map[int]bool)
	for _, row := range p.Design.Rows {
		points[row] = true
	}
	if single != 1 || len(p.Design.Rows) != 8 || len(points) != 5 {
		t.Errorf("%d points of HTTP/1.1, rows %v", single, p.Design.Rows)
	}
}

// TestLinkAsFactor: levels change one thing and leave the load's other settings.
func TestLinkAsFactor(t *testing.T) {
	s := parse(t, minimal+`loads: [{open: {rate: 10}, max_age: 30s, reuse: shared}]
factors: {reuse: [per-worker, 100, none], pacing: [timer]}
twin: false
`)
	var got []request.Link
	for _, c := range expand(t, s, 1).Cells {
		if c.Pacing != profile.TimerPacing {
			t.Errorf("pacing %q", c.Pacing)
		}
		got = append(got, c.Link)
	}
	want := []request.Link{
		{Reuse: request.PerWorker, MaxAge: 30 * time.Second},
		{Reuse: request.PerWorker, PerConnection: 100, MaxAge: 30 * time.Second},
		{Reuse: request.NoReuse, MaxAge: 30 * time.Second},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
