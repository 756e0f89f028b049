package main

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	got, err := settingsOf(func(name string) string {
		return map[string]string{"UPSTREAM_WAIT": "20ms", "UPSTREAM_ROOM": "3"}[name]
	})
	if err != nil || got.wait != 20*time.Millisecond || got.room != 3 || got.slow != time.Second {
		t.Errorf("%+v, %v", got, err)
	}
	for _, name := range []string{"UPSTREAM_WAIT", "UPSTREAM_PATIENCE", "UPSTREAM_SLOW", "UPSTREAM_DNS_STALL", "UPSTREAM_ROOM", "UPSTREAM_DNS_EVERY"} {
		if _, err := settingsOf(func(n string) string {
			if n == name {
				return "-1"
			}
			return ""
		}); err == nil {
			t.Errorf("%s may be -1", name)
		}
	}
}

// No more are worked on at once than there is room for, and who finds none in time goes.
func TestDesk(t *testing.T) {
	d := &desk{seats: make(chan struct{}, 1), room: 1, patience: time.Millisecond}
	if !d.sit() {
		t.Fatal("there is no room at all")
	}
	if d.work() {
		t.Error("two sit on one seat")
	}
	<-d.seats
	if !d.work() {
		t.Error("nobody is there, and there is no room")
	}
	d = &desk{seats: make(chan struct{}, 2), room: 2}
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() { d.work() })
	}
	done.Wait() // without patience everybody gets a seat in the end
}

// The standard resolver reads the name server's answers, late ones too.
func TestNameServer(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go (&nameServer{stall: time.Hour, every: 2}).serve(conn)
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, conn.LocalAddr().String())
	}}
	for range 4 {
		if got, err := r.LookupHost(t.Context(), "service.test."); err != nil || len(got) != 1 || got[0] != "127.0.0.1" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if _, err := r.LookupHost(t.Context(), "stall.test."); err != nil {
		t.Errorf("the first of two: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got, err := r.LookupHost(short, "stall.test."); err == nil {
		t.Errorf("the second of two got a response: %q", got)
	}
}

// Two ports never lead to one address, and a name server that may not listen on the port of DNS
// is there on its own.
func TestWhereTheNameServerIs(t *testing.T) {
	seen := map[string]int{}
	for port := 1; port < 1<<16; port++ {
		at := nameServerAt(port)
		if other, ok := seen[at]; ok {
			t.Fatalf("ports %d and %d lead to %s", other, port, at)
		}
		seen[at] = port
	}
	if got, want := nameServerAt(17050), "127.53.66.154:53"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := new(nameServer).listen("127.0.0.1:0", taken.LocalAddr().String()); err != nil {
		t.Errorf("no name server, as it may not listen at one of two places: %v", err)
	}
	if err := new(nameServer).listen(taken.LocalAddr().String(), "127.0.0.1:0"); err == nil {
		t.Error("another has its port, and it says nothing")
	}
}
