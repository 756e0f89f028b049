package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A tenant is another one of the service, in a process and a session of its own, whose events come at a rate:
// a line is made of each, and batches of them are compressed and written to its file. The kernel has a group of
// threads for each session (sched(7), autogroup), with a weight by its nice value, as a cgroup has by
// cpu.weight; unlike a cgroup it is gone with its last process.
type tenant struct {
	command *exec.Cmd
	stdin   io.Closer
	told    atomic.Int64 // when it told how late it is, in Unix nanoseconds
	late    atomic.Int64 // how late that was, in nanoseconds
}

// tellEvery is how often a tenant tells how late it is.
const tellEvery = 100 * time.Millisecond

// startTenant starts the tenant and gives it its weight. It ends when stop is called, or this process ends.
func startTenant(s settings) (*tenant, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command, sessions := []string{self, tenantArg, strconv.Itoa(s.burst), s.codec}, sessionsWeigh()
	if s.nice > 0 && !sessions {
		command = append([]string{"nice", "-n", strconv.Itoa(s.nice)}, command...)
	}
	t := &tenant{command: exec.Command(command[0], command[1:]...)}
	t.command.Env = []string{"TMPDIR=" + os.TempDir()} // nobody asks it what its runtime does
	t.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	t.command.Stderr = os.Stderr
	if t.stdin, err = t.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.command.Start(); err != nil {
		return nil, err
	}
	t.told.Store(time.Now().UnixNano())
	go t.listen(out)
	if s.nice > 0 && sessions {
		if err := weighSession(t.command.Process.Pid, s.nice); err != nil {
			return nil, errors.Join(err, t.stop())
		}
	}
	return t, nil
}

// sessionsWeigh reports whether the kernel shares CPU time out by sessions here: where it has them as groups, and
// for who is in the root cgroup of the cpu controller. Elsewhere threads have weights of their own, by the
// same nice values.
func sessionsWeigh() bool {
	on, err := os.ReadFile("/proc/sys/kernel/sched_autogroup_enabled")
	groups, _ := os.ReadFile("/proc/self/cgroup")
	return err == nil && strings.TrimSpace(string(on)) == "1" && inRoot(string(groups))
}

// weighSession gives the session of a process the weight of a nice value.
func weighSession(pid, nice int) error {
	for try := 0; ; try++ {
		err := os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), []byte(strconv.Itoa(nice)), 0)
		if try == 20 || !errors.Is(err, syscall.EAGAIN) { // which others get who ask soon after each other
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// inRoot reports whether a process whose /proc/PID/cgroup that is has the root cgroup for its CPU time.
func inRoot(groups string) bool {
	unified := true
	for line := range strings.Lines(groups) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			for controller := range strings.SplitSeq(parts[1], ",") {
				if controller == "cpu" {
					return parts[2] == "/"
				}
			}
			unified = unified && (parts[1] != "" || parts[2] == "/")
		}
	}
	return unified
}

func (t *tenant) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil {
			t.late.Store(n)
			t.told.Store(time.Now().UnixNano())
		}
	}
}

// behind is how many whole seconds the tenant is late, or has told nothing.
func (t *tenant) behind() int64 {
	if t == nil {
		return 0
	}
	return max(t.late.Load(), time.Now().UnixNano()-t.told.Load()) / int64(time.Second)
}

// stop ends the tenant.
func (t *tenant) stop() error {
	if t == nil {
		return nil
	}
	t.stdin.Close()
	return t.command.Wait()
}

// tenantArg is the argument of the program as a tenant; behind it are its events a second and its codec.
const tenantArg = "tenant"

// runTenant is the program as a tenant, until nobody is at the other end of its input any more.
func runTenant(args []string) error {
	if len(args) != 2 {
		return errors.New("a tenant is started by the service")
	}
	rate, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	to, err := openFile(0)
	if err != nil {
		return err
	}
	defer to.close()
	ends := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); close(ends) }()
	return burst(rate, codecs()[args[1]], to, os.Stdout, ends)
}

// burst makes events at the rate, and tells how late it is, until it ends.
func burst(rate int, compress func([]byte) []byte, to sink, tell io.Writer, ends <-chan struct{}) error {
	batch, next := make([]byte, 0, batchSize+4096), time.Now()
	return pace(rate, ends, func(e *entry) error {
		if batch = appendLine(batch, e); len(batch) < batchSize {
			return nil
		}
		err := to.write(compress(batch))
		batch = batch[:0]
		return err
	}, func(late time.Duration) error {
		if time.Now().Before(next) {
			return nil
		}
		next = time.Now().Add(tellEvery)
		_, err := fmt.Fprintln(tell, int64(late))
		return err
	})
}
