package study

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno/lab/load/profile"
	"dyno/lab/load/request"
)

func TestLinkOfALoad(t *testing.T) {
	s := parse(t, minimal+`loads:
  - {name: churn, closed: {}, reuse: none, sources: [127.0.0.2-127.0.0.3, "::1"], fast_open: true, nagle: true, quick_ack: true}
  - {name: aged, open: {rate: 10}, reuse: 100, max_age: 30s, pacing: spin}
  - {name: many, closed: {}, http2: true, streams: 10}
`)
	want := request.Link{
		Reuse: request.NoReuse, FastOpen: true, Nagle: true, QuickAck: true,
		Sources: []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3"), netip.MustParseAddr("::1")},
	}
	if got := s.Loads[0].Link; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	want = request.Link{Reuse: request.PerWorker, PerConnection: 100, MaxAge: 30 * time.Second}
	var plan strings.Builder
	expand(t, s, 1).Describe(&plan)
	for _, says := range []string{"; reuse=none; sources=127.0.0.2 and 2 more\n", "; reuse=100; max_age=30s; pacing=spin\n", "; http2, streams=10\n"} {
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
