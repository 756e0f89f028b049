package kernel

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
)

// subjectEnv makes the test's binary a server of a kind.
const subjectEnv = "DYNO_KERNEL_TEST_SUBJECT"

func TestMain(m *testing.M) {
	switch os.Getenv(subjectEnv) {
	case "":
		os.Exit(m.Run())
	case "upstream":
		serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(stallOf(r))
			fmt.Fprint(w, "late")
		}))
	case "go":
		serve(goSubject())
	case "holder":
		hold()
	}
}

// hold is a process that has probes attached, says so, and waits to be killed.
func hold() {
	p, err := Open(1)
	if err == nil {
		err = p.Attach()
	}
	if err != nil {
		fmt.Println("none:", err)
		return
	}
	for _, program := range p.collection.Programs {
		info, err := program.Info()
		if err != nil {
			panic(err)
		}
		id, _ := info.ID()
		fmt.Print(id, " ")
	}
	fmt.Println()
	select {}
}

// stallOf is how long a request asks to be held up.
func stallOf(r *http.Request) time.Duration {
	seconds, err := strconv.ParseFloat(r.URL.Query().Get("stall"), 64)
	if err != nil {
		panic(err)
	}
	return time.Duration(seconds * float64(time.Second))
}

// threadTime is the CPU time of the thread.
func threadTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// undelayed is a clock that stands while the thread waits for a CPU.
func undelayed() time.Duration {
	var ran, waited int64
	if text, err := os.ReadFile("/proc/thread-self/schedstat"); err == nil {
		_, _ = fmt.Sscan(string(text), &ran, &waited)
	}
	return time.Duration(clock.Now() - waited)
}

// stalled is a path with which a subject is asked to hold the request up.
func stalled(path string, stall time.Duration) string {
	return fmt.Sprintf("%s?stall=%g", path, stall.Seconds())
}

func serve(h http.Handler) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	panic(http.Serve(l, h))
}

func goSubject() http.Handler {
	mux := http.NewServeMux()
	var held sync.Mutex
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("/burn", func(w http.ResponseWriter, r *http.Request) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for begin, stall := threadTime(), stallOf(r); threadTime()-begin < stall; {
		}
	})
	mux.HandleFunc("/upstream", func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Get("http://" + r.URL.Query().Get("to") + stalled("/", stallOf(r)))
		if err != nil {
			panic(err)
		}
		resp.Body.Close()
	})
	mux.HandleFunc("/lock", func(w http.ResponseWriter, r *http.Request) {
		held.Lock()
		defer held.Unlock()
		time.Sleep(stallOf(r))
	})
	mux.HandleFunc("/fsync", func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Create(filepath.Join(r.URL.Query().Get("in"), "file"))
		if err != nil {
			panic(err)
		}
		defer f.Close()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for begin, stall := undelayed(), stallOf(r); undelayed()-begin < stall; {
			if _, err := f.Write(make([]byte, 1<<20)); err != nil {
				panic(err)
			}
			if err := f.Sync(); err != nil {
				panic(err)
			}
		}
	})
	mux.HandleFunc("/fault", func(w http.ResponseWriter, r *http.Request) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for begin, stall := threadTime(), stallOf(r); threadTime()-begin < stall; {
			const size = 8 << 20
			m, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				panic(err)
			}
			_ = syscall.Madvise(m, 15) // MADV_NOHUGEPAGE
			for i := 0; i < size; i += 4096 {
				m[i] = 1
			}
			_ = syscall.Munmap(m)
		}
	})
	return mux
}

// start runs a subject, and returns its address and process. It ends with the test.
func start(t *testing.T, cmd *exec.Cmd) (addr string, pid int) {
	t.Helper()
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), cmd.Process.Pid
}

// itself is the test's binary as a subject of a kind.
func itself(kind string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), subjectEnv+"="+kind)
	return cmd
}
