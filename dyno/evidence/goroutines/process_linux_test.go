package goroutines

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/evidence"
)

// built is a program whose goroutines wait, linked with flags.
func built(t *testing.T, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "parked")
	build := exec.Command("go", append(append([]string{"build", "-o", file}, flags...), "./testdata/parked")...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// started runs it until the test ends.
func started(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// The functions are known that collect garbage, and not those of handlers.
func TestCollectorsAreNamed(t *testing.T) {
	p := opened(t, started(t, exec.Command(built(t))))
	if n := len(p.Collector()); n < 10 {
		t.Errorf("%d places", n)
	}
	for name, want := range map[string]bool{
		"runtime.gcDrain": true, "runtime.scanobject": true, "runtime.(*sweepLocked).sweep": true, "runtime.bgsweep": true, "runtime.gcAssistAlloc": true,
		"runtime.greyobject": true, "runtime.mallocgc": false, "runtime.schedule": false, "main.handle": false, "net/http.(*conn).serve": false,
	} {
		if collects(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func opened(t *testing.T, pid int) *Process {
	t.Helper()
	p, err := Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Look(nil); err != nil {
		t.Skip("the memory of processes may not be read here: ", err)
	}
	return p
}

func text(e *evidence.Event) string { return strings.TrimRight(string(e.Text[:]), "\x00") }

// TestLook: each goroutine that waits is told with why, wherever the program was loaded.
func TestLook(t *testing.T) {
	for name, flags := range map[string][]string{"as usual": nil, "anywhere": {"-buildmode=pie"}} {
		t.Run(name, func(t *testing.T) {
			p := opened(t, started(t, exec.Command(built(t, flags...))))
			want := map[string]int{"sync.Mutex.Lock": 3, "sync.RWMutex.RLo": 2, "chan send": 1, "sleep": 1}
			for { // they come to it in their own time
				list, err := p.Look(nil)
				if err != nil {
					t.Fatal(err)
				}
				got, different := map[string]int{}, map[uint64]bool{}
				for i := range list {
					if list[i].Kind == evidence.Parked {
						got[text(&list[i])]++
						different[list[i].Subject] = true
					}
				}
				done := true
				for reason, n := range want {
					done = done && got[reason] == n
					if got[reason] > n {
						t.Fatalf("%v", got)
					}
				}
				if done && len(different) >= 7 {
					return
				}
			}
		})
	}
}

// TestLookSeesCollections: of a program that does nothing else, and not of one that does none.
func TestLookSeesCollections(t *testing.T) {
	file := built(t)
	collects, doesNot := opened(t, started(t, exec.Command(file, "gc"))), opened(t, started(t, exec.Command(file)))
	for seen := 0; seen < 10; {
		list, err := collects.Look(nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 && list[0].Kind == evidence.Collecting {
			seen++
		}
		list, err = doesNot.Look(list[:0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			if list[i].Kind == evidence.Collecting {
				t.Fatal("a program that allocates nothing collects")
			}
		}
	}
}

// TestOpenSaysWhyNot: of a program without symbols, and of none of Go's.
func TestOpenSaysWhyNot(t *testing.T) {
	if _, err := Open(started(t, exec.Command(built(t, "-ldflags=-s -w")))); err == nil || !strings.Contains(err.Error(), "symbols") {
		t.Errorf("stripped: %v", err)
	}
	if _, err := Open(started(t, exec.Command(built(t, "-ldflags=-w")))); err == nil || !strings.Contains(err.Error(), "DWARF") {
		t.Errorf("without DWARF: %v", err)
	}
	if _, err := os.Stat("/bin/cat"); err != nil {
		t.Skip(err)
	}
	cat := exec.Command("/bin/sh", "-c", "echo; exec cat")
	if _, err := Open(started(t, cat)); !errors.Is(err, ErrNotGo) {
		t.Errorf("cat: %v", err)
	}
}

// TestLookEndsWithTheProcess: it is told, not taken for a process that has no goroutines.
func TestLookEndsWithTheProcess(t *testing.T) {
	cmd := exec.Command(built(t))
	p := opened(t, started(t, cmd))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := p.Look(nil); err == nil {
		t.Error("a process that has ended is looked at")
	}
}
