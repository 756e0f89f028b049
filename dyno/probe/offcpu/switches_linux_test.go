package offcpu

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dyno.example/dyno/probe/sampled"
	"dyno.example/nano/wire/clock"
)

// subjectEnv makes the test's binary a program of a kind.
const subjectEnv = "DYNO_OFFCPU_TEST_SUBJECT"

func TestMain(m *testing.M) {
	switch os.Getenv(subjectEnv) {
	case "":
		os.Exit(m.Run())
	case "blocked":
		blocked()
	case "holder":
		hold()
	}
}

// The two functions that the blocked program waits in, one three times as long as the other.
//
//go:noinline
func sleepsLong() { sleepFor(60 * time.Millisecond) }

//go:noinline
func waitsForPipe(r int) { _, _ = unix.Read(r, make([]byte, 1)) }

func sleepFor(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil)
}

// blocked waits in known functions until its input ends.
func blocked() {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		panic(err)
	}
	asked := make(chan struct{})
	go func() {
		for range asked {
			sleepFor(50 * time.Millisecond)
			unix.Write(pipe[1], []byte{1})
		}
	}()
	ended := make(chan struct{})
	go func() { bufio.NewReader(os.Stdin).ReadByte(); close(ended) }()
	for {
		select {
		case <-ended:
			return
		default:
			fmt.Println(clock.Now())
			sleepsLong()
			asked <- struct{}{}
			waitsForPipe(pipe[0])
		}
	}
}

// hold is a process that watches itself, says which programs do so, and waits to be killed.
func hold() {
	w, err := Start([]int{os.Getpid()})
	if err != nil {
		fmt.Println("none:", err)
		return
	}
	for _, program := range w.collection.Programs {
		fmt.Print(idOf(program), " ")
	}
	fmt.Println()
	select {}
}

func idOf(p *ebpf.Program) ebpf.ProgramID {
	info, err := p.Info()
	if err != nil {
		panic(err)
	}
	id, _ := info.ID()
	return id
}

// subject starts this binary as a program of a kind.
func subject(t *testing.T, kind string) (cmd *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), subjectEnv+"="+kind)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, bufio.NewReader(pipe)
}

// TestWatcher: what a program is blocked in is known, for how long, with the system call at its tip
// and the names of who called it.
func TestWatcher(t *testing.T) {
	cmd, out := subject(t, "blocked")
	begin := clock.Now()
	w, err := Start([]int{cmd.Process.Pid})
	if err != nil {
		t.Skip(err)
	}
	ids := make([]ebpf.ProgramID, 0, len(w.collection.Programs))
	for _, p := range w.collection.Programs {
		ids = append(ids, idOf(p))
	}
	attached := clock.Now()
	for rounds := 0; rounds < 8; { // of which the last has begun
		var at int64
		if _, err := fmt.Fscanln(out, &at); err != nil {
			t.Fatal(err)
		}
		if at > attached {
			rounds++
		}
	}
	seen := w.Stop()
	took := clock.Now() - begin
	slept, waited := in(seen, "sleepsLong", "[nanosleep]"), in(seen, "waitsForPipe", "[read]")
	// Its waits last so long at least, however busy the machine is; what is between them isn't.
	if slept.times < 2 || slept.ns < int64(slept.times-1)*59e6 || slept.ns > took || waited.times == 0 || waited.ns > took {
		for _, s := range seen.stacks {
			t.Log(strings.ReplaceAll(s, "\n", " < "))
		}
		t.Errorf("slept %+v, waited %+v in %d ms; %d lost", slept, waited, took/1e6, seen.Lost)
	}
	for _, s := range seen.stretches {
		if s.To < s.From || s.From < begin || s.Thread == 0 {
			t.Fatalf("%+v", s)
		}
	}
	if none := seen.Profile(func(Stretch) int64 { return 0 }); len(none.Samples) != 0 {
		t.Errorf("%+v", none)
	}
	for _, id := range ids {
		gone(t, id)
	}
}

// total is how often and how long something was seen.
type total struct {
	times int
	ns    int64
}

// in adds up the stretches in a function of this package below a tip.
func in(s *Seen, function, tip string) (sum total) {
	for _, one := range s.stretches {
		stack := strings.Split(s.stacks[one.stack], "\n")
		for _, f := range stack {
			if stack[0] == tip && strings.HasSuffix(f, "offcpu."+function) {
				sum.times++
				sum.ns += one.To - one.From
				break
			}
		}
	}
	return sum
}

// gone waits until a program isn't in the kernel any more; it goes in the background.
func gone(t *testing.T, id ebpf.ProgramID) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			return
		}
		p.Close()
		if time.Now().After(end) {
			t.Fatalf("program %d is still in the kernel", id)
		}
	}
}

// TestKilledLeavesNothing: nothing is left in the kernel of a process that is killed.
func TestKilledLeavesNothing(t *testing.T) {
	cmd, out := subject(t, "holder")
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(line, "none:") {
		t.Skip(line)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(line)
	if len(fields) == 0 {
		t.Fatal("it has no program")
	}
	for _, field := range fields {
		id, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		gone(t, ebpf.ProgramID(id))
	}
}

// TestWhy: what stands at a stack's tip.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		state uint32
		call  int16
		want  string
	}{
		{preempted, 1, "[preempted]"}, {1, -1, "[kernel]"}, {uninterrupt, -1, "[page fault]"}, {0x08, 202, "[stopped]"}, {uninterrupt, 9999, "[system call 9999]"},
	} {
		if got := why(c.state, c.call); got != c.want {
			t.Errorf("%x in %d: %s, want %s", c.state, c.call, got, c.want)
		}
	}
}

// TestTake: the time in which a thread could run again isn't the system call's.
func TestTake(t *testing.T) {
	w := &Watcher{names: map[uint32]*sampled.Names{}, places: map[string]uint32{}, runnable: map[string]uint32{}}
	take := func(from, to, woken uint64, state uint32) {
		raw := make([]byte, fixed+8*deepest)
		for i, v := range []uint64{from, to, woken} {
			binary.NativeEndian.PutUint64(raw[8*i:], v)
		}
		for i, v := range []uint32{7, 4711, state} {
			binary.NativeEndian.PutUint32(raw[24+4*i:], v)
		}
		none := int16(-1)
		binary.NativeEndian.PutUint16(raw[36:], uint16(none))
		w.take(raw)
	}
	take(1000, 5000, 3000, 1)
	take(6000, 7000, 0, 1) // who woke it wasn't seen
	take(8000, 8500, 8000, preempted)
	w.take(make([]byte, fixed)) // cut off
	got := map[string]int64{}
	for _, s := range w.seen.stretches {
		if s.Thread != 7 {
			t.Errorf("%+v", s)
		}
		got[w.seen.stacks[s.stack]] += s.To - s.From
	}
	if want := map[string]int64{"[kernel]": 3000, couldRun: 2000, "[preempted]": 500}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
