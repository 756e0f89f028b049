package middleware

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"dyno.example/nano/nanotest"
)

func TestCells(t *testing.T) {
	const ms = int64(time.Millisecond)
	var s cells
	s.init(100*ms, 3, 1000) // ten a second, three at once
	for i, tt := range []struct {
		at   int64 // ms
		want verdict
	}{
		{0, verdict{0, 2, 100 * ms}},
		{0, verdict{0, 1, 200 * ms}},
		{0, verdict{0, 0, 300 * ms}},
		{0, verdict{100 * ms, 0, 300 * ms}},
		{99, verdict{1 * ms, 0, 201 * ms}},
		{100, verdict{0, 0, 300 * ms}},
		{350, verdict{0, 1, 150 * ms}},
		{10_000, verdict{0, 2, 100 * ms}},
	} {
		if got := s.take(1, tt.at*ms); got != tt.want {
			t.Errorf("%d: at %d ms got %v, want %v", i, tt.at, got, tt.want)
		}
	}
	if got := s.take(2, 10_000*ms); got.left != 2 {
		t.Error("clients share a cell")
	}
}

func TestCellsAreBounded(t *testing.T) {
	var s cells
	s.init(int64(time.Second), 100, 640)
	for range 100 {
		s.take(0, 0)
	}
	for key := uint64(1); key < 100_000; key++ {
		s.take(key, 0)
	}
	n := 0
	for i := range s.shards {
		n += len(s.shards[i].due)
	}
	if n > 640 {
		t.Errorf("%d clients are remembered", n)
	}
	if s.take(0, 0).wait == 0 {
		t.Error("who is at the limit was forgotten before who isn't")
	}
	for key := range uint64(5000) { // all of the past
		s.take(key<<32, int64(time.Hour)*int64(key+1))
	}
	if n := len(s.shards[0].due); n > 3 {
		t.Errorf("%d clients of the past are remembered", n)
	}
}

func TestRateLimit(t *testing.T) {
	a := app(RateLimit(RateLimitConfig{Rate: 2, Per: time.Hour, By: ByHeader("Key")}))
	for i, want := range []int{200, 200, 429, 429} {
		got := ask(a, "GET", "/", "Key", "k")
		if got.Status != want || got.Header.Get("RateLimit-Policy") != `"default";q=2;w=3600` {
			t.Errorf("request %d: %d %v", i, got.Status, got.Header)
		}
		var left, full int
		if _, err := fmt.Sscanf(got.Header.Get("RateLimit"), `"default";r=%d;t=%d`, &left, &full); err != nil || left != max(1-i, 0) || full < 1 || full > 3600 {
			t.Errorf("request %d: RateLimit: %s", i, got.Header.Get("RateLimit"))
		}
		if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); (wait > 0 && wait <= 1800) != (want == 429) {
			t.Errorf("request %d: Retry-After: %d", i, wait)
		}
	}
	for _, from := range []string{"192.0.2.1:1", "192.0.2.2:1"} { // without a key
		if got := nanotest.New(a).From(netip.MustParseAddrPort(from)).Get("/").Do(); got.Status != 200 {
			t.Errorf("%s: %d", from, got.Status)
		}
	}
	mustPanic(t, "no rate", func() { RateLimit(RateLimitConfig{}) })
	allocs(t, RateLimit(RateLimitConfig{Rate: 1e9, Quiet: true}), 0)
	allocs(t, RateLimit(RateLimitConfig{Rate: 1e9, Quiet: true, By: ByHeader("Key")}), 0, "Key", "k")
}

func TestAddressKey(t *testing.T) {
	seed := maphash.MakeSeed()
	key := func(s string) uint64 { return addressKey(seed, netip.MustParseAddr(s)) }
	if key("2001:db8::1") != key("2001:db8:0:0:ffff::2") || key("2001:db8::1") == key("2001:db8:0:1::1") {
		t.Error("IPv6 is told apart by 64 bits")
	}
	if key("192.0.2.1") == key("192.0.2.2") || key("192.0.2.1") != key("::ffff:192.0.2.1") {
		t.Error("IPv4 is told apart by all bits")
	}
}

func BenchmarkCells(b *testing.B) {
	var s cells
	s.init(1, 1, 100_000)
	b.RunParallel(func(pb *testing.PB) {
		for key := uint64(0); pb.Next(); key += 7919 {
			s.take(key%50_000, int64(key))
		}
	})
}
