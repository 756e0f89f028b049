package probe

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// sample reads what a made-up machine says.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseCPUTimes(t *testing.T) {
	got, err := parseCPUTimes(sample(t, "stat"))
	want := cpuTimes{cpus: 4, busy: 5000 + 40 + 3000 + 20 + 600, steal: 77}
	if got != want || err != nil {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, data := range []string{"", "intr 5\n", "cpu  1 2 3\n", "cpu  1 2 3 4 5 6 7 x 0 0\n", "cpu0 1 2 3 4 5 6 7 8 9 0\n"} {
		if got, err := parseCPUTimes([]byte(data)); err == nil {
			t.Errorf("%q: no error, but %+v", data, got)
		}
	}
}

func TestParseLoad(t *testing.T) {
	if got, err := parseLoad([]byte("1.25 0.80 0.41 2/345 6789\n")); got != 1.25 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for _, data := range []string{"", "x 1 2", "NaN 1", "+Inf 0", "-1 0", "1.25"} {
		if got, err := parseLoad([]byte(data)); err == nil {
			t.Errorf("%q: no error, but %v", data, got)
		}
	}
}

func TestParsePressure(t *testing.T) {
	const data = "some avg10=11.75 avg60=4.39 avg300=12.81 total=161787604\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
	if got, err := parsePressure([]byte(data)); got != 161787604*time.Microsecond || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for _, data := range []string{"", "full total=5\n", "some avg10=1\n", "some total=x\n", "some total=9223372036854775807\n"} {
		if got, err := parsePressure([]byte(data)); err == nil {
			t.Errorf("%q: no error, but %v", data, got)
		}
	}
}

func TestParseNetCounters(t *testing.T) {
	var v [2]uint64
	if err := parseNetCounters(sample(t, "netstat"), "TcpExt:", []string{"ListenDrops", "ListenOverflows"}, v[:]); v != [2]uint64{31, 29} || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
	if err := parseNetCounters(sample(t, "snmp"), "Tcp:", []string{"RetransSegs", "MaxConn"}, v[:]); v != [2]uint64{42, 0} || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
	for name, data := range map[string]string{
		"empty":          "",
		"names only":     "Tcp: RetransSegs\n",
		"fewer values":   "Tcp: InSegs RetransSegs\nTcp: 1\n",
		"other counters": "Tcp: InSegs\nTcp: 1\n",
		"no number":      "Tcp: RetransSegs\nTcp: x\n",
	} {
		if err := parseNetCounters([]byte(data), "Tcp:", []string{"RetransSegs"}, v[:1]); err == nil {
			t.Errorf("%s: no error, but %d", name, v[0])
		}
	}
}

func TestParseSwapOut(t *testing.T) {
	if got, err := parseSwapOut(sample(t, "vmstat")); got != 1024 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := parseSwapOut([]byte("pswpin 5\n")); err == nil {
		t.Error("no error without the counter")
	}
}

func FuzzParseCPUTimes(f *testing.F) {
	f.Add(sample(f, "stat"))
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 0\ncpu0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := parseCPUTimes(data); err == nil && c.cpus > len(data) {
			t.Errorf("%d CPUs in %d bytes", c.cpus, len(data))
		}
	})
}

func FuzzParseLoad(f *testing.F) {
	f.Add([]byte("1.25 0.80 0.41 2/345 6789\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if load, _ := parseLoad(data); !(load >= 0) {
			t.Errorf("load %v", load)
		}
	})
}

func FuzzParsePressure(f *testing.F) {
	f.Add([]byte("some avg10=11.75 avg60=4.39 avg300=12.81 total=161787604\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, _ := parsePressure(data); d < 0 {
			t.Errorf("pressure %v", d)
		}
	})
}

func FuzzParseNetCounters(f *testing.F) {
	f.Add(sample(f, "snmp"), "Tcp:", "RetransSegs")
	f.Add(sample(f, "netstat"), "TcpExt:", "ListenDrops")
	f.Add([]byte("\n\n"), "", "")
	f.Fuzz(func(t *testing.T, data []byte, protocol, name string) {
		var v [1]uint64
		if err := parseNetCounters(data, protocol, []string{name}, v[:]); err != nil && v[0] != 0 {
			t.Errorf("%d along with %v", v[0], err)
		}
	})
}

func FuzzParseSwapOut(f *testing.F) {
	f.Add(sample(f, "vmstat"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := parseSwapOut(data); err != nil && n != 0 {
			t.Errorf("%d along with %v", n, err)
		}
	})
}
