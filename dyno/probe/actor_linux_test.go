package probe

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary also plays the programs under test: DYNO_TEST_ACTOR names the
// part. An actor does what it is told on its standard input, line by line,
// responds to each line with one of its own, and ends with its input.
const actorEnv = "DYNO_TEST_ACTOR"

func TestMain(m *testing.M) {
	if os.Getenv(actorEnv) != "" {
		act()
		return
	}
	os.Exit(m.Run())
}

func act() {
	var child *actor
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		what, arg, _ := strings.Cut(lines.Text(), " ")
		reply := "done"
		switch what {
		case "burn": // CPU time, in ms, in a thread that ends after
			burn(arg)
		case "threads":
			n, _ := strconv.Atoi(arg)
			hold(n)
		case "files":
			n, _ := strconv.Atoi(arg)
			for range n {
				f, _ := os.Open("/dev/null")
				opened = append(opened, f)
			}
		case "child":
			child = startActor()
			reply = strconv.Itoa(child.pid())
		case "tell-child":
			reply = child.tell(arg)
		case "end-child":
			child.end()
		case "short": // a child that begins, burns and ends by itself
			c := startActor()
			c.tell("burn " + arg)
			c.end()
		}
		fmt.Println(reply)
	}
}

var opened []*os.File // by the actor; keeps them from being collected

// burn uses ms of the CPU in a thread of its own.
func burn(ms string) {
	n, _ := strconv.Atoi(ms)
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		for begin := threadCPU(); threadCPU()-begin < time.Duration(n)*time.Millisecond; {
		}
	})
	wg.Wait()
}

// hold keeps n more threads.
func hold(n int) {
	var up sync.WaitGroup
	up.Add(n)
	for range n {
		go func() {
			runtime.LockOSThread()
			up.Done()
			select {}
		}()
	}
	up.Wait()
}

// actor is a running actor, seen from the one who started it.
type actor struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
}

// The race detector would hold up each actor's end for a second.
func startActor() *actor {
	return startProgram(os.Args[0], actorEnv+"=1", "GORACE=atexit_sleep_ms=0")
}

// startProgram starts a program that takes lines as actors do.
func startProgram(path string, env ...string) *actor {
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), env...)
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return &actor{cmd, stdin, bufio.NewReader(stdout)}
}

func (a *actor) pid() int { return a.cmd.Process.Pid }

func (a *actor) tell(what string) string {
	fmt.Fprintln(a.stdin, what)
	reply, _ := a.lines.ReadString('\n')
	return strings.TrimSpace(reply)
}

func (a *actor) end() {
	a.stdin.Close()
	stuck := time.AfterFunc(time.Minute, func() { a.cmd.Process.Kill() })
	defer stuck.Stop()
	a.cmd.Wait()
}

// newActor starts an actor that ends with the test.
func newActor(t testing.TB) *actor {
	t.Helper()
	a := startActor()
	t.Cleanup(a.end)
	if got := a.tell("hello"); got != "done" { // its runtime is up
		t.Fatalf("the actor said %q", got)
	}
	return a
}
