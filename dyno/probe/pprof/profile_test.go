package pprof

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

func made() *Profile {
	return &Profile{
		Types: []Type{Samples, CPU}, Time: time.Unix(1_700_000_000, 5), Duration: 3 * time.Second, Period: 1e6, PeriodOf: CPU, Program: "a/server",
		Comments: []string{"only slow requests"},
		Samples: []Sample{
			{[]string{"main.burn", "main.handle", "main.main"}, []int64{30, 30e6}},
			{[]string{"[kernel]", "main.handle", "main.main"}, []int64{10, 10e6}},
			{[]string{"main.fib", "main.fib", "main.main"}, []int64{5, 5e6}},
		},
	}
}

// What is written is read back as it was.
func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	if err := made().Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(got, made()) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFunctions(t *testing.T) {
	p := made()
	want := []Function{{"main.burn", 30, 30}, {"[kernel]", 10, 10}, {"main.fib", 5, 5}, {"main.main", 0, 45}, {"main.handle", 0, 40}}
	if got := p.Functions(p.Column("samples")); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if p.Sum(1) != 45e6 || p.Column("heap") != -1 {
		t.Errorf("%d, %d", p.Sum(1), p.Column("heap"))
	}
}

func TestMerge(t *testing.T) {
	p, err := Merge(made(), made())
	if err != nil || len(p.Samples) != 3 || p.Samples[0].Values[0] != 60 || p.Duration != 6*time.Second {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := Merge(made(), &Profile{Types: []Type{CPU}}); err == nil {
		t.Error("profiles of different types are one")
	}
}

var sink [][]byte

//go:noinline
func allocate() {
	for range 100 {
		sink = append(sink, make([]byte, 1<<20))
	}
}

// A profile that Go's runtime wrote is read, functions that were inlined included.
func TestReadsGos(t *testing.T) {
	allocate()
	runtime.GC() // until then the runtime's profile lacks the newest
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	sink = nil
	p, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	column := p.Column("alloc_space")
	if column < 0 || p.PeriodOf.Unit != "bytes" {
		t.Fatalf("%+v", p.Types)
	}
	for _, f := range p.Functions(column) {
		if strings.HasSuffix(f.Name, "pprof.allocate") && f.Self >= 50<<20 {
			return
		}
	}
	t.Errorf("%+v", p.Functions(column))
}

// Go's own tool reads what we write.
func TestGoToolReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pb.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := made().Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "pprof", "-top", path)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "main.burn") || !strings.Contains(text, "30ms") || !strings.Contains(text, "server") {
		t.Errorf("%v: %s", err, out)
	}
}

// What is no profile is refused, and whatever it is, it doesn't panic nor take memory without bound.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := made().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("no profile"))
	f.Add([]byte{0x0a, 4, 8, 1, 16, 2, 0x12, 2, 8, 1})
	f.Add([]byte{0x0a, 0, 0x12, 4, 0x12, 2, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range p.Types {
			p.Functions(i)
			p.Sum(i)
		}
		if err := p.Write(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	})
}
