package runner

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/offcpu"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/profiled"
)

// burnVariable makes this program a subject that spends its time in known functions, and
// tells so itself at /debug/pprof.
const burnVariable = "DYNO_TEST_BURN"

var burnt uint64

// The race detector's calls would be what is seen.
//
//go:noinline
//go:norace
func burnShort(n int) (sum uint64) {
	for i := range n {
		sum = sum*31 + uint64(i)
	}
	return sum
}

//go:noinline
//go:norace
func burnLong(n int) (sum uint64) {
	for i := range n {
		sum = sum*31 + uint64(i)
	}
	return sum
}

// stuck holds its thread up for long.
//
//go:noinline
func stuck() { pauseFor(400 * time.Millisecond) }

// pauseFor blocks its thread in a system call, which Go's own sleep doesn't.
//
//go:noinline
func pauseFor(d time.Duration) {
	_, _ = unix.Poll(nil, int(d.Milliseconds()))
}

// recordFlight does what dynoprobe/flight does for Go subjects.
func recordFlight() {
	conn, err := net.Dial("unix", os.Getenv("DYNO_FLIGHT_SOCKET"))
	if err != nil {
		return
	}
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
	if err := recorder.Start(); err != nil {
		fmt.Fprintf(conn, "{\"error\":%q}\n", err.Error())
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		var b bytes.Buffer
		if _, err := recorder.WriteTo(&b); err != nil {
			return
		}
		fmt.Fprintf(conn, "{\"bytes\":%d}\n", b.Len())
		b.WriteTo(conn)
	}
}

func serveBurn() error {
	go recordFlight()
	http.HandleFunc("/short", func(http.ResponseWriter, *http.Request) { burnt += burnShort(1_000_000) })
	http.HandleFunc("/long", func(_ http.ResponseWriter, r *http.Request) {
		trace.WithRegion(r.Context(), "burning", func() { burnt += burnLong(60_000_000) })
	})
	http.HandleFunc("/pause", func(http.ResponseWriter, *http.Request) { pauseFor(time.Millisecond) })
	http.HandleFunc("/stick", func(http.ResponseWriter, *http.Request) { stuck() })
	return http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}

func burnRunner(t *testing.T, rest string) *Runner {
	r := startedRunner(t, "    pprof: /debug/pprof/\n    run: exec env -u "+subjectVariable+" "+burnVariable+"=1 %s", rest)
	r.Study.Subjects[0].TLS = false
	r.Study.Trial.Duration *= 5
	return r
}

// profileOf reads a kept profile of the first trial; nil if it is missing, which is logged, unless
// the subject had not enough CPU time to send it.
func profileOf(t *testing.T, run *archive.Run, kind archive.Kind) *pprof.Profile {
	t.Helper()
	content, err := run.Kept(0, kind)
	if err != nil {
		t.Fatal(err)
	}
	if content == nil {
		for _, k := range run.Trials[0].Kept {
			if k.Kind == kind && k.Missing == context.DeadlineExceeded.Error() {
				t.Skipf("a busy machine: %s took longer than it may", kind)
			}
		}
		t.Logf("%+v", run.Trials[0].Kept)
		return nil
	}
	p, err := pprof.Read(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// selfOf is what a function of this package has of its own.
func selfOf(p *pprof.Profile, column, function string) int64 {
	for _, f := range p.Functions(p.Column(column)) {
		if strings.HasSuffix(f.Name, "runner."+function) {
			return f.Self
		}
	}
	return 0
}

// TestKeptProfiles: where the subject burnt its time is in its profile, as sampled from
// outside and as it says itself; of slow requests it is what made them slow.
func TestKeptProfiles(t *testing.T) {
	s, err := sampled.Start(sampled.Config{CPUs: []int{0}, Wanted: func(int, string) bool { return false }})
	if err != nil {
		t.Skip(err)
	}
	s.Stop()
	r := burnRunner(t, "requests: [{get: /short, weight: 99}, {get: /long, weight: 1}]\nexplain: true\nkeep: [cpu, pprof, flight, packets]\nloads: [{name: steady, open: {rate: 150, connections: 32}}]\n")
	run := run(t, r)
	for _, kind := range []archive.Kind{archive.CPUProfile, archive.RuntimeProfile} {
		p := profileOf(t, run, kind)
		if p == nil {
			t.Fatal("no profile ", kind)
		}
		own := selfOf(p, "samples", "burnShort") + selfOf(p, "samples", "burnLong")
		if all := p.Sum(p.Column("samples")); own == 0 || own*4 < all {
			t.Errorf("%s: %d of %d samples where it burns: %+v", kind, own, all, p.Functions(0))
		}
	}
	slow := slowRecords(t, run) // none if the first second was slower than all that follow
	capture, err := run.Kept(0, archive.PacketHeaders)
	if text := unpacked(t, capture); err != nil || !bytes.HasPrefix(text, []byte{0x0a, 0x0d, 0x0d, 0x0a}) || len(text) < 10_000 || bytes.Contains(text, []byte("GET /")) || slow > 0 && !bytes.Contains(text, []byte("slow request")) {
		t.Errorf("%d bytes of packets, %v", len(text), err)
	}
	flights := run.Flights(0)
	if slow > 0 && len(flights) == 0 || len(flights) > 3 {
		t.Errorf("%d traces: %+v", len(flights), run.Trials[0].Kept)
	}
	for _, f := range flights {
		content, err := os.ReadFile(f[0])
		if err != nil || !bytes.HasPrefix(content, []byte("go 1.")) || !strings.Contains(f[1], " took ") {
			t.Errorf("%s (%s): %d bytes, %v", f[0], f[1], len(content), err)
		}
	}
	if p := profileOf(t, run, archive.AllocProfile); p == nil || p.Column("alloc_space") < 0 {
		t.Errorf("allocations: %+v", p)
	}
	if p := profileOf(t, run, archive.HeapProfile); p == nil || p.Column("inuse_space") < 0 {
		t.Errorf("heap: %+v", p)
	}
	sampledSlow(t, run)
}

// TestKeptWaits: the function that slow requests were blocked in is what has more of their time off
// the CPU than of ordinary ones', who calls the same below it; and of all time with the threads'
// that had nothing to do it is a small part.
func TestKeptWaits(t *testing.T) {
	w, err := offcpu.Start(nil)
	if err != nil {
		t.Skip(err)
	}
	w.Stop()
	r := burnRunner(t, "requests: [{get: /pause, weight: 69}, {get: /stick, weight: 1}]\nexplain: true\nkeep: [off-cpu]\nloads: [{name: steady, open: {rate: 150, connections: 64}}]\n")
	run := run(t, r)
	whole := profileOf(t, run, archive.OffCPUProfile)
	if whole == nil || below(whole, "runner.pauseFor") <= below(whole, "runner.stuck") || below(whole, "runner.stuck") > 0.5 {
		t.Fatalf("all: %+v", whole)
	}
	_, records, err := run.Evidence(0)
	if err != nil {
		t.Fatal(err)
	}
	const stick = 1 // its place in the mix
	var of, all int64
	for i := range records {
		if r := &records[i]; r.Class == evidence.Tail {
			all += r.Response()
			if r.Kind == stick {
				of += r.Response()
			}
		}
	}
	if of == 0 || of*3 < all*2 {
		t.Skipf("a busy machine: of %d ms of slow requests %d are of those that are stuck", all/1e6, of/1e6)
	}
	slow, others := profileOf(t, run, archive.SlowOffCPUProfile), profileOf(t, run, archive.OtherOffCPUProfile)
	if slow == nil || others == nil {
		t.Fatal("no profile of requests")
	}
	if name := run.Trials[0].KeptName(archive.SlowOffCPUProfile); name != "trials/0000/off-cpu-slow.pb.gz" {
		t.Errorf("it is in %q", name)
	}
	table := profiled.Waited("off-cpu", 3, whole, slow, others)
	if first := table.Rows[0].Function; !strings.Contains(first, "runner.stuck") && !strings.Contains(first, "runner.serveBurn.func") {
		t.Errorf("slow requests: %+v", table)
	}
}

// below is the share of a profile's last value that is in a function and what it called.
func below(p *pprof.Profile, function string) float64 {
	at := len(p.Types) - 1
	for _, f := range p.Functions(at) {
		if strings.HasSuffix(f.Name, function) {
			return float64(f.Total) / float64(p.Sum(at))
		}
	}
	return 0
}

// slowRecords is how many slow requests there is evidence of.
func slowRecords(t *testing.T, run *archive.Run) (n int) {
	t.Helper()
	_, records, err := run.Evidence(0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if records[i].Class == evidence.Tail {
			n++
		}
	}
	return n
}

// sampledSlow holds the profile of slow requests against that of all.
func sampledSlow(t *testing.T, run *archive.Run) {
	_, records, err := run.Evidence(0)
	if err != nil {
		t.Fatal(err)
	}
	const long = 1 // its place in the mix
	var ran, all int64
	for i := range records {
		if r := &records[i]; r.Class == evidence.Tail {
			all += r.Budget()[evidence.OnCPU]
			if r.Kind == long {
				ran += r.Budget()[evidence.OnCPU]
			}
		}
	}
	if ran < 20e6 || ran*3 < all*2 {
		t.Skipf("a busy machine: of %d ms of CPU time of slow requests %d are of the long ones", all/1e6, ran/1e6)
	}
	whole, slow := profileOf(t, run, archive.CPUProfile), profileOf(t, run, archive.SlowProfile)
	if slow == nil {
		t.Fatal("no profile of slow requests")
	}
	share := func(p *pprof.Profile) float64 {
		return float64(selfOf(p, "samples", "burnLong")) / float64(p.Sum(p.Column("samples")))
	}
	if share(slow) < 0.4 || share(slow) <= share(whole) {
		t.Errorf("what made them slow has %.2f of slow requests and %.2f of all: %+v", share(slow), share(whole), slow.Functions(0))
	}
}

// TestKeptIsMissing: what a subject doesn't offer is missing with the reason, and spoils nothing.
func TestKeptIsMissing(t *testing.T) {
	r := startedRunner(t, "    pprof: /nowhere\n    run: exec %s", "requests: [{get: /}]\nkeep: [pprof]\n"+steady)
	kept := run(t, r).Trials[0].Kept
	if len(kept) != 3 || kept[0].Kind != archive.RuntimeProfile || kept[0].Missing == "" || kept[2].Kind != archive.HeapProfile || kept[2].Missing == "" {
		t.Errorf("%+v", kept)
	}
}

// unpacked is the text of a gzipped file.
func unpacked(t *testing.T, content []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Error(err)
		return nil
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Error(err)
	}
	return text
}
