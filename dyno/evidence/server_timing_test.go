package evidence

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTimingsAreParsed(t *testing.T) {
	ms := int64(time.Millisecond)
	for _, c := range []struct {
		name, head string
		want       []ServerTiming
	}{
		{"none", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", nil},
		{"one", "HTTP/1.1 200 OK\r\nServer-Timing: db;dur=53.2\r\n\r\n", []ServerTiming{{"db", 53*ms + ms/5, ""}}},
		{"in any case, in two fields", "HTTP/1.1 200 OK\r\nserver-timing:db;dur=1\r\nX: y\r\nSERVER-TIMING: app;dur=2 , cpu;dur=3\r\n\r\n",
			[]ServerTiming{{"db", ms, ""}, {"app", 2 * ms, ""}, {"cpu", 3 * ms, ""}}},
		{"without a duration", "S: 1\r\nServer-Timing: miss, route;desc=\"a\", db;dur=1\r\n\r\n", []ServerTiming{{"db", ms, ""}}},
		{"what quotes hide", "Server-Timing: a;desc=\"x, b;dur=9; \\\"y\\\"\";dur=1.5, c;dur=2\r\n", []ServerTiming{{"a", ms * 3 / 2, "x, b;dur=9; \"y\""}, {"c", 2 * ms, ""}}},
		{"of one name", "Server-Timing: db;dur=1, db;dur=2\r\n", []ServerTiming{{"db", 3 * ms, ""}}},
		{"the first duration counts", "Server-Timing: db;dur=1;dur=2\r\n", []ServerTiming{{"db", ms, ""}}},
		{"broken", "Server-Timing: d b;dur=1, ;dur=2, x;dur=-1, y;dur=NaN, z;dur=Inf, q;dur=1e30, w;dur=, ok;dur=\"4\", e;dur=1;desc=\"no end\r\n",
			[]ServerTiming{{"ok", 4 * ms, ""}, {"e", ms, ""}}},
	} {
		field := AppendTimings(make([]byte, 0, TimingRoom), []byte(c.head))
		if got := ParseTimings(field); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What doesn't fit is cut before a part that isn't whole, and nothing is allocated.
func TestTimingsAreBounded(t *testing.T) {
	head := []byte("Server-Timing: " + strings.Repeat("part;dur=1.5,", 100) + "\r\nServer-Timing: last;dur=2\r\n")
	room := make([]byte, 0, 40)
	field := AppendTimings(room, head)
	if string(field) != "part;dur=1.5,part;dur=1.5,part;dur=1.5" {
		t.Errorf("%q", field)
	}
	if n := testing.AllocsPerRun(100, func() { AppendTimings(room, head) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := ParseTimings([]byte(strings.Repeat("x;dur=1,", 5) + "y;dur=1")); len(got) != 2 || got[0].Took != int64(5*time.Millisecond) {
		t.Errorf("%+v", got)
	}
}

// A sample keeps its own copy of what was told.
func TestSamplesKeepServerTiming(t *testing.T) {
	s := NewSampler()
	s.Awake(true)
	d := s.Loop(0)
	buffer := []byte("db;dur=1")
	for i := range 2 {
		buffer[7] = '1' + byte(i)
		d.Push(&Sample{Timing: buffer}, Draw{Class: Body, Weight: 1})
	}
	var got []string
	s.Fetch(func(x *Sample) bool { got = append(got, string(x.Timing)); return true })
	if !reflect.DeepEqual(got, []string{"db;dur=1", "db;dur=2"}) {
		t.Errorf("%q", got)
	}
	r := Join(&Sample{Class: Tail, Weight: 1, Intended: 1, Sent: 1, Done: 5, Timing: []byte("db;dur=2")}, nil, Server{})
	if len(r.ServerTiming) != 1 || r.ServerTiming[0] != (ServerTiming{"db", int64(2 * time.Millisecond), ""}) {
		t.Errorf("%+v", r.ServerTiming)
	}
}

func FuzzTimings(f *testing.F) {
	f.Add([]byte(`a;desc="x, b;dur=9";dur=1.5, c;dur=2`))
	f.Add([]byte(`a;dur=1;desc="\`))
	f.Fuzz(func(t *testing.T, value []byte) {
		parts := ParseTimings(value)
		if len(parts) > mostTimings {
			t.Fatalf("%d parts", len(parts))
		}
		names := map[string]bool{}
		for _, p := range parts {
			if !isToken(p.Name) || p.Took < 0 || p.Took > longest || names[p.Name] {
				t.Fatalf("%+v", p)
			}
			names[p.Name] = true
		}
		if got := AppendTiming(make([]byte, 0, TimingRoom), value); len(got) > TimingRoom {
			t.Fatalf("%d bytes", len(got))
		}
	})
}
