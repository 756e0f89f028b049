package calibrate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"dyno.example/nano/wire/clock"
)

// process is a child that runs.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  *bufio.Reader // of its standard output
	stderr strings.Builder
	ended  chan struct{}
}

// start starts a child of this executable with an order. Stop it.
func start(ctx context.Context, arg string, order any) (*process, error) {
	if runtime.GOOS != "linux" {
		return nil, ErrUnsupported
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding dyno's own executable: %w", err)
	}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, exe, arg, string(text)), ended: make(chan struct{})}
	p.cmd.SysProcAttr = endWithParent()
	p.cmd.Stderr = &p.stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.stdin, p.lines, p.cmd.Stdout = stdin, bufio.NewReader(read), write
	started := make(chan error, 1)
	go p.hold(started, read)
	err = <-started
	write.Close()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", arg, err)
	}
	return p, nil
}

// hold starts the child and keeps the thread that did until it has ended: the
// kernel takes the end of that thread for the parent's.
func (p *process) hold(started chan<- error, stdout io.Closer) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.cmd.Wait()
	}
	stdout.Close()
}

// line reads the child's next line.
func (p *process) line() (string, error) {
	text, err := p.lines.ReadString('\n')
	if err != nil {
		p.stop()
		return "", fmt.Errorf("a child of the calibration ended without a response: %s", strings.TrimSpace(p.stderr.String()))
	}
	return strings.TrimSuffix(text, "\n"), nil
}

// stop ends the child and waits for it.
func (p *process) stop() {
	p.stdin.Close()
	p.cmd.Process.Kill()
	<-p.ended
}

// freeze stops the child from an instant of the clock for a time, as a debugger
// or an overloaded host would. It returns
// when that began, and how long it was.
func (p *process) freeze(at int64, length time.Duration) (from int64, pause time.Duration, err error) {
	time.Sleep(time.Duration(at - clock.Now()))
	from = clock.Now()
	if err := p.cmd.Process.Signal(stopSignal); err != nil {
		return 0, 0, fmt.Errorf("stopping a child: %w", err)
	}
	time.Sleep(length)
	if err := p.cmd.Process.Signal(continueSignal); err != nil {
		return 0, 0, fmt.Errorf("letting a child go on: %w", err)
	}
	return from, time.Duration(clock.Now() - from), nil
}

// startServer starts a null server with so many threads, away from the CPUs of
// the generator where there are others. Over HTTP/2 it responds to calls over gRPC, or other
// requests.
func startServer(ctx context.Context, threads int, generator []int, calls bool) (p *process, url string, err error) {
	p, err = start(ctx, serverArg, serverOrder{CPUs: others(generator), Threads: threads, Calls: calls})
	if err != nil {
		return nil, "", err
	}
	url, err = p.line()
	return p, url, err
}
