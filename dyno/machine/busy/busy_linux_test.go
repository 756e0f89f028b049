package busy

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

// The environment of this program when it is a process of a test.
const (
	burnVariable   = "DYNO_TEST_BURN"
	listenVariable = "DYNO_TEST_LISTEN"
)

func TestMain(m *testing.M) {
	if cpu := os.Getenv(burnVariable); cpu != "" {
		fmt.Fprintln(os.Stderr, burn(cpu))
		os.Exit(1)
	}
	if os.Getenv(listenVariable) != "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(l.Addr())
		for { // without responses, and busy, as servers are under load
		}
	}
	os.Exit(m.Run())
}

// burn burns a CPU with so many threads that no other process there uses more of it,
// however many tests run at the same time. It returns only if that fails.
func burn(cpu string) error {
	const pinned = "pinned"
	if cpu != pinned { // as a whole: threads are of the CPUs of who started them
		var set unix.CPUSet
		n, err := strconv.Atoi(cpu)
		if err != nil {
			return err
		}
		set.Set(n)
		runtime.LockOSThread()
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return err
		}
		os.Setenv(burnVariable, pinned)
		return unix.Exec(os.Args[0], os.Args, os.Environ())
	}
	const threads = 6
	runtime.GOMAXPROCS(threads)
	for range threads - 1 {
		go func() {
			for {
			}
		}()
	}
	fmt.Println("begun")
	for {
	}
}

// child starts this program with a variable set, and returns its process and the
// first line it prints. It ends with the test.
func child(t *testing.T, variable, value string) (pid int, line string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+value, "GOMAXPROCS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, strings.TrimSpace(line)
}

// hog starts a process that burns the last of the CPUs, and only that.
func hog(t *testing.T) (pid, cpu int) {
	t.Helper()
	cpus := machine.OnlineCPUs()
	cpu = cpus[len(cpus)-1]
	pid, _ = child(t, burnVariable, strconv.Itoa(cpu))
	return pid, cpu
}

// until tries for a minute: on a machine that others keep busy, a process may not
// get a CPU for a while.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatal("not within a minute: " + what)
		}
	}
}

// A look before measuring names the process that burns a CPU, and where.
func TestLookNamesAHog(t *testing.T) {
	pid, cpu := hog(t)
	var s *Survey
	until(t, "the hog is named", func() bool {
		var err error
		if s, err = Look(t.Context(), machine.OnlineCPUs(), 0); err != nil {
			t.Fatal(err)
		}
		return s.Busy() && strings.Contains(i18n.List("; ", s.Disturbers()...).String(), fmt.Sprintf("(pid %d)", pid))
	})
	if text := s.Message().String(); !strings.Contains(text, "this machine is busy: ") || !strings.Contains(text, fmt.Sprintf("CPU %d", cpu)) || !strings.Contains(text, fmt.Sprintf("(pid %d)", pid)) {
		t.Errorf("got %q", text)
	}
}

// Who is busy on CPUs that nobody asked about is not named.
func TestLookElsewhere(t *testing.T) {
	pid, cpu := hog(t)
	others := slices.DeleteFunc(machine.OnlineCPUs(), func(c int) bool { return c == cpu })
	s, err := Look(t.Context(), others, 0)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(s, s.Disturbers()); strings.Contains(text, fmt.Sprintf("pid %d", pid)) || strings.Contains(text, fmt.Sprintf("CPU %d", cpu)) {
		t.Errorf("process %d is on CPU %d, which was not asked for: %s", pid, cpu, text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Look(ctx, others, time.Hour); err == nil {
		t.Error("an interrupted look has no error")
	}
}

func TestServerIsFound(t *testing.T) {
	pid, addr := child(t, listenVariable, "1")
	if got, err := Server(t.Context(), "http://"+addr+"/path"); err != nil || !slices.Equal(got, []int{pid}) {
		t.Errorf("got %v, %v; want %d", got, err, pid)
	}
	// Nobody listens there.
	if got, err := Server(t.Context(), "http://127.0.0.1:1"); err == nil {
		t.Errorf("got %v and no error", got)
	}
	if got, err := Server(t.Context(), "https://192.0.2.1/"); err != nil || got != nil {
		t.Errorf("of another machine: %v, %v", got, err)
	}
}

// A hog that was there before the load makes its windows invalid, and is named; a
// busy server is no hog.
func TestWatch(t *testing.T) {
	server, addr := child(t, listenVariable, "1")
	pid, _ := hog(t)
	w := NewWatch(t.Context(), "http://"+addr, nil, machine.OnlineCPUs())
	defer w.Close()
	var f finding.Finding
	until(t, "the load is invalid by the hog", func() bool {
		w.Idle(t.Context(), 200*time.Millisecond)
		w.Since()
		time.Sleep(300 * time.Millisecond)
		o := w.Since()
		if o == nil {
			t.Fatal("nothing is known of the others")
		}
		for _, p := range o.Programs {
			if p.PID == server {
				t.Fatalf("the server is among the others: %+v", o)
			}
		}
		f, _ = o.Finding(0)
		return f.Name == finding.OtherLoad && f.Validity == finding.Invalid && strings.Contains(f.Detail.String(), fmt.Sprintf("(pid %d)", pid))
	})
	t.Log(f.Detail)
}

// Somebody who was idle before the load may be working for the server.
func TestWatchOfWhoWasIdleBefore(t *testing.T) {
	_, addr := child(t, listenVariable, "1")
	w := NewWatch(t.Context(), "http://"+addr, nil, machine.OnlineCPUs())
	defer w.Close()
	w.Idle(t.Context(), 50*time.Millisecond)
	w.Since()
	pid, _ := hog(t)
	until(t, "the newcomer is named", func() bool {
		time.Sleep(300 * time.Millisecond)
		o := w.Since()
		return o.Foreign && slices.ContainsFunc(o.Parts, func(p measure.OthersPart) bool { return p.Used > 0 }) &&
			strings.Contains(fmt.Sprint(o.Programs), fmt.Sprint(pid)) && o.Before < o.Length
	})
}
