package probe

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const statLine = `4242 (my (odd) name
R 1) S 17 4242 4242 0 -1 4194560 1500 2500 3 4 105 21 60 9 20 0 12 0 987654 1024000 2048 18446744073709551615 1 1 0 0 0 0 0 0 2143420159 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0
`

func TestParseProcessStat(t *testing.T) {
	got, err := parseProcessStat([]byte(statLine))
	if err != nil {
		t.Fatal(err)
	}
	want := processStat{name: "my (odd) name\nR 1", processor: 1, parent: 17, minor: 1500, major: 3, user: 105, system: 21, threads: 12, start: 987654, rss: 2048}
	want.reaped.minor, want.reaped.major, want.reaped.user, want.reaped.system = 2500, 4, 60, 9
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseProcessStatZombie(t *testing.T) {
	line := "5 (x) Z 1 5 5 0 -1 4 0 0 0 0 7 0 0 0 20 0 %d 0 9 0 0 0\n"
	for threads, want := range map[string]bool{"1": true, "3": false} { // only its first thread has ended
		got, err := parseProcessStat([]byte(strings.Replace(line, "%d", threads, 1)))
		if err != nil || got.zombie != want {
			t.Errorf("%s threads: zombie = %v, %v; want %v", threads, got.zombie, err, want)
		}
	}
}

func TestParseProcessRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"empty":      "",
		"cut short":  statLine[:60],
		"no name":    strings.ReplaceAll(statLine, ")", ""),
		"no number":  strings.Replace(statLine, " 105 ", " many ", 1),
		"too large":  strings.Replace(statLine, " 105 ", " 99999999999999999999 ", 1),
		"just below": strings.Replace(statLine, " 105 ", " -1 ", 1),
	} {
		if got, err := parseProcessStat([]byte(data)); err == nil {
			t.Errorf("%s: no error, but %+v", name, got)
		}
	}
}

func TestParseSwitches(t *testing.T) {
	const status = "Name:\tserver\nThreads:\t3\nMems_allowed_list:\t0\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n"
	vol, invol, err := parseSwitches([]byte(status))
	if vol != 150 || invol != 7 || err != nil {
		t.Errorf("got %d, %d, %v", vol, invol, err)
	}
	for _, data := range []string{"", status[:60], "voluntary_ctxt_switches:\n", "voluntary_ctxt_switches: x\n"} {
		if _, _, err := parseSwitches([]byte(data)); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}

func TestParseSchedstat(t *testing.T) {
	if got, err := parseSchedstat([]byte("751479 1228910 17\n")); got != 1228910*time.Nanosecond || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for _, data := range []string{"", "1\n", "1 x 3\n", "1 -2 3\n"} {
		if _, err := parseSchedstat([]byte(data)); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}

func TestAppendPIDs(t *testing.T) {
	if got, err := appendPIDs([]int{1}, []byte("20 30 \n")); !slices.Equal(got, []int{1, 20, 30}) || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := appendPIDs(nil, []byte("20 x")); err == nil {
		t.Error("no error for a name")
	}
}

func FuzzParseProcessStat(f *testing.F) {
	f.Add([]byte(statLine))
	f.Add([]byte("1 (x) Z"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseProcessStat(data)
		if err == nil && (s.threads < 0 || s.parent < 0) {
			t.Errorf("accepted %+v", s)
		}
	})
}

func FuzzParseSwitches(f *testing.F) {
	f.Add([]byte("voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if vol, invol, err := parseSwitches(data); err != nil && (vol != 0 || invol != 0) {
			t.Errorf("%d, %d along with %v", vol, invol, err)
		}
	})
}

func FuzzParseSchedstat(f *testing.F) {
	f.Add([]byte("751479 1228910 17\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, _ := parseSchedstat(data); d < 0 {
			t.Errorf("waited %v", d)
		}
	})
}

func FuzzAppendPIDs(f *testing.F) {
	f.Add([]byte("20 30 "))
	f.Fuzz(func(t *testing.T, data []byte) {
		pids, _ := appendPIDs(nil, data)
		if len(pids) > len(data) {
			t.Errorf("%d processes in %d bytes", len(pids), len(data))
		}
	})
}
