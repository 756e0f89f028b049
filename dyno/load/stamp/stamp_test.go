package stamp

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		where string
		clock Clock
		id    string
		data  string
		want  int64 // -1: none
	}{
		{"id", "", "1700000000000000001", "", 1700000000000000001},
		{"id", "", "", "1", -1},
		{"id", "", "a7", "", -1},
		{"id", UnixMilli, "1700000000001", "", 1700000000001000000},
		{"id", UnixMicro, "1700000000000001", "", 1700000000000001000},
		{"id", UnixSec, "1700000000.25", "", 1700000000250000000},
		{"id", UnixSec, "1700000000", "", 1700000000000000000},
		{"id", UnixSec, "1.0000000019", "", 1000000001},
		{"id", UnixSec, "1.", "", -1},
		{"id", UnixSec, "99999999999999999999", "", -1},
		{"id", UnixSec, "9999999999999", "", -1},
		{"id", Monotonic, "77", "", 77},
		{"json:.at", "", "", `{"at":5}`, 5},
		{"json:$.at", "", "", ` { "x" : [1,{"at":3}], "at" : "5" } `, 5},
		{"json:.a.b", "", "", `{"a":{"c":"}\"","b":7},"b":8}`, 7},
		{"json:.a[1].b", "", "", `{"a":[{"b":1},{"b":2}]}`, 2},
		{"json:[2]", "", "", `["a,b", {"x":[1,2]}, 9]`, 9},
		{"json:.at", "", "", `{"at":-5}`, -1},
		{"json:.at", "", "", `{"at":null}`, -1},
		{"json:.at", "", "", `{"at":{}}`, -1},
		{"json:.at", "", "", `{"bat":1}`, -1},
		{"json:.at", "", "", `[1]`, -1},
		{"json:.at", "", "", `{"a`, -1},
		{"json:.at", "", "", `{"a":[[`, -1},
		{"json:.at", "", "", ``, -1},
		{"json:[0]", "", "", `{}`, -1},
		{"json:[0]", "", "", `[]`, -1},
		{"json:.at", "", "", strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100), -1},
		{"regexp:at=([0-9]+)", "", "", "x at=17;", 17},
		{"regexp:[0-9]+", "", "", "x at=17;", 17},
		{"regexp:(a)|b", "", "", "b", -1},
		{"regexp:q", "", "", "b", -1},
	} {
		s, err := Parse(c.where, c.clock)
		if err != nil {
			t.Errorf("%s: %v", c.where, err)
			continue
		}
		got, ok := s.Of([]byte(c.id), []byte(c.data))
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s %s of %q %q: %d, want %d", c.where, c.clock, c.id, c.data, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", "expected id"}, {"time", "", "expected id"}, {"id:x", "", "nothing behind"}, {"json:", "", "path is missing"}, {"json:at", "", "no step"},
		{"json:.a[x]", "", "no step"}, {"json:.", "", "no step"}, {"json:.a[1", "", "no step"}, {"regexp:", "", "missing"}, {"regexp:(", "", "missing closing"},
		{"id", "unix", "unix-ns"}, {"json:" + strings.Repeat(".a", 17), "", "16 steps"},
	} {
		if _, err := Parse(c[0], Clock(c[1])); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q %q: %v, want %q in it", c[0], c[1], err, c[2])
		}
	}
}

func TestOfAllocatesNothing(t *testing.T) {
	data := []byte(`{"items":[1,2,{"x":"y"}],"meta":{"at":1700000000000000001}}`)
	s, err := Parse("json:.meta.at", "")
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := s.Of(nil, data); !ok {
			t.Fatal("no stamp")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"at":5}`), "json:.at")
	f.Add([]byte(`[1,{"a":[2]}]`), "json:[1].a[0]")
	f.Fuzz(func(t *testing.T, data []byte, where string) {
		s, err := Parse(where, "")
		if err != nil {
			return
		}
		if ns, ok := s.Of(data, data); ok && ns < 0 {
			t.Errorf("%d", ns)
		}
	})
}
