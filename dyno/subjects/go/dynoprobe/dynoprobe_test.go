package dynoprobe

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

type hello struct {
	Version int `json:"dynoprobe"`
	PID     int
	Go      string
	Uppers  struct {
		GCPauses       []float64 `json:"gc_pauses"`
		SchedLatencies []float64 `json:"sched_latencies"`
	}
}

type response struct {
	Mono           int64
	GCCycles       uint64  `json:"gc_cycles"`
	GCCPU          float64 `json:"gc_cpu_s"`
	Heap           uint64
	AllocBytes     uint64 `json:"alloc_bytes"`
	Allocs         uint64
	Goroutines     uint64
	LockWait       float64     `json:"lock_wait_s"`
	GCPauses       [][2]uint64 `json:"gc_pauses"`
	SchedLatencies [][2]uint64 `json:"sched_latencies"`
	Self           float64     `json:"self_us"`
}

// decode reads one line strictly: what it holds and what the types above say
// must agree.
func decode(t *testing.T, r *bufio.Reader, into any) {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("no line: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
}

// dial connects a served pipe; done is closed when serve has returned.
func dial(t *testing.T) (conn net.Conn, r *bufio.Reader, done chan struct{}) {
	near, far := net.Pipe()
	done = make(chan struct{})
	go func() { defer close(done); defer far.Close(); serve(far) }()
	t.Cleanup(func() { near.Close(); <-done })
	return near, bufio.NewReader(near), done
}

func sum(pairs [][2]uint64) (n uint64) {
	for _, p := range pairs {
		n += p[1]
	}
	return n
}

var sink []byte

// What goroutines wait for a mutex is seen. The runtime looks at some of the waits only, and
// on a busy machine they may be over before they began, so there are many.
func TestWaitsForLocksAreSeen(t *testing.T) {
	s := newSampler()
	s.respond()
	before := s.float(lockWait)
	for range 1000 {
		var mu sync.Mutex
		var all sync.WaitGroup
		mu.Lock()
		for range 64 {
			all.Go(func() { mu.Lock(); mu.Unlock() })
		}
		time.Sleep(time.Millisecond)
		mu.Unlock()
		all.Wait()
		if s.respond(); s.float(lockWait) > before {
			return
		}
	}
	t.Error("no wait for a lock is seen")
}

func TestReportsAreCumulative(t *testing.T) {
	conn, r, _ := dial(t)
	var h hello
	decode(t, r, &h)
	if h.Version != 1 || h.PID != os.Getpid() || h.Go != runtime.Version() {
		t.Errorf("hello = %+v", h)
	}
	for _, uppers := range [][]float64{h.Uppers.GCPauses, h.Uppers.SchedLatencies} {
		if len(uppers) < 10 || !slices.IsSorted(uppers) {
			t.Errorf("bucket ends = %v", uppers)
		}
	}
	var a, b response
	io.WriteString(conn, "sample\n")
	decode(t, r, &a)
	for range 1000 {
		sink = make([]byte, 1024)
	}
	runtime.GC()
	io.WriteString(conn, "sample\n")
	decode(t, r, &b)
	if runtime.GOOS == "linux" && b.Mono <= a.Mono {
		t.Errorf("the clock went from %d to %d", a.Mono, b.Mono)
	}
	if b.GCCycles <= a.GCCycles || sum(b.GCPauses) <= sum(a.GCPauses) || b.GCCPU <= a.GCCPU {
		t.Errorf("a collection is not seen: %+v, then %+v", a, b)
	}
	if b.AllocBytes-a.AllocBytes < 1000*1024 || b.Allocs-a.Allocs < 1000 {
		t.Errorf("allocations are not seen: %+v, then %+v", a, b)
	}
	if b.Heap == 0 || b.Goroutines < 2 || b.Self <= 0 {
		t.Errorf("response = %+v", b)
	}
	for _, p := range b.SchedLatencies {
		if p[0] > uint64(len(h.Uppers.SchedLatencies)) {
			t.Errorf("bucket %d of %d", p[0], len(h.Uppers.SchedLatencies)+1)
		}
	}
}

func TestEndsOnAnythingElse(t *testing.T) {
	for _, line := range []string{"stop\n", "\n", strings.Repeat("x", 1000)} {
		conn, r, done := dial(t)
		var h hello
		decode(t, r, &h)
		go io.WriteString(conn, line)
		if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("after %.10q: %v, want the end", line, err)
		}
		<-done
	}
}

func TestEndsWithTheSocket(t *testing.T) {
	conn, _, done := dial(t)
	conn.Close()
	<-done
}

func TestReportsAllocateNothing(t *testing.T) {
	s := newSampler()
	s.hello()
	s.respond()
	if n := testing.AllocsPerRun(20, func() { s.respond() }); n > 0 {
		t.Errorf("%v allocations for a response", n)
	}
}

func TestStartsNothingWithoutASocket(t *testing.T) {
	if start("") {
		t.Error("started without a socket")
	}
}

// The test binary itself is the program under test here: it imports the package
// and only waits.
func TestConnectsWhenAsked(t *testing.T) {
	if os.Getenv("DYNO_PROBE_SOCKET") != "" {
		io.Copy(io.Discard, os.Stdin)
		return
	}
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.(*net.UnixListener).SetDeadline(time.Now().Add(10 * time.Second))
	child := exec.Command(os.Args[0], "-test.run=^TestConnectsWhenAsked$")
	child.Env = append(os.Environ(), "DYNO_PROBE_SOCKET="+socket)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer stdin.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var h hello
	decode(t, bufio.NewReader(conn), &h)
	if h.PID != child.Process.Pid {
		t.Errorf("process %d responded, want %d", h.PID, child.Process.Pid)
	}
}

func BenchmarkReport(b *testing.B) {
	s := newSampler()
	s.hello()
	b.ReportAllocs()
	for b.Loop() {
		s.respond()
	}
}
