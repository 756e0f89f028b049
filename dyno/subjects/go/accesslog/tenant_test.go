package main

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
)

// TestMain is the program as a tenant where the test has started itself as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == tenantArg {
		if err := runTenant(os.Args[2:]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// each is a sink that says how much each write had.
type each func(lines []byte)

func (e each) write(lines []byte) error { e(lines); return nil }
func (each) close()                     {}

// TestBurst: events are written in batches that can be read again, and no more of them than are due.
func TestBurst(t *testing.T) {
	const rate = 20_000
	events, ends, begun := 0, make(chan struct{}), time.Now()
	var took time.Duration
	var told bytes.Buffer
	err := burst(rate, func(batch []byte) []byte { return snappy.Encode(nil, batch) }, each(func(b []byte) {
		lines, err := snappy.Decode(nil, b)
		if err != nil || lines[len(lines)-1] != '\n' {
			t.Errorf("a batch: %v", err)
		}
		if events += bytes.Count(lines, newline); events >= rate/4 && took == 0 {
			took = time.Since(begun)
			close(ends)
		}
	}), &told, ends)
	if err != nil || told.Len() == 0 {
		t.Fatalf("%v, told %q", err, told.String())
	}
	if float64(events) > rate*took.Seconds() {
		t.Errorf("%d events in %v", events, took)
	}
}

// TestTenant: it is a process in a session of its own, tells that it is there, and is gone when it is stopped.
func TestTenant(t *testing.T) {
	tenant, err := startTenant(settings{burst: 1000, codec: "snappy"})
	if err != nil {
		t.Fatal(err)
	}
	first := tenant.told.Load()
	for tenant.told.Load() == first {
		time.Sleep(time.Millisecond)
	}
	pid := tenant.command.Process.Pid
	if session := sessionOf(t, pid); session != strconv.Itoa(pid) {
		t.Errorf("process %d is in session %s", pid, session)
	}
	if err := tenant.stop(); err != nil {
		t.Error(err)
	}
	tenant.told.Store(time.Now().Add(-2500 * time.Millisecond).UnixNano())
	if got := tenant.behind(); got < 2 {
		t.Errorf("one that told nothing for 2.5 s is %d s behind", got)
	}
}

func sessionOf(t *testing.T, pid int) string {
	t.Helper()
	out, err := exec.Command("ps", "-o", "sess=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Skip("no ps: ", err)
	}
	return strings.TrimSpace(string(out))
}

// TestTenantIsWeighed: the kernel has the weight that was asked for, of the session or else of the threads.
func TestTenantIsWeighed(t *testing.T) {
	tenant, err := startTenant(settings{burst: 100, codec: "none", nice: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer tenant.stop()
	pid := strconv.Itoa(tenant.command.Process.Pid)
	if sessionsWeigh() {
		got, err := os.ReadFile("/proc/" + pid + "/autogroup")
		if err != nil || !strings.HasSuffix(strings.TrimSpace(string(got)), " nice 10") {
			t.Errorf("the session has %q, %v", got, err)
		}
		return
	}
	first := tenant.told.Load()
	for tenant.told.Load() == first { // nice(1) is behind it
		time.Sleep(time.Millisecond)
	}
	if out, err := exec.Command("ps", "-o", "nice=", "-p", pid).Output(); err != nil || strings.TrimSpace(string(out)) != "10" {
		t.Errorf("the process has %q, %v", out, err)
	}
}

func TestInRoot(t *testing.T) {
	for groups, want := range map[string]bool{
		"0::/\n":                              true,
		"0::/user.slice\n":                    false,
		"4:memory:/a\n1:cpu:/\n0::/\n":        true,
		"3:cpu,cpuacct:/a\n0::/\n":            false,
		"3:cpu,cpuacct:/\n0::/user.slice/a\n": true,
	} {
		if got := inRoot(groups); got != want {
			t.Errorf("%q: %v", groups, got)
		}
	}
}
