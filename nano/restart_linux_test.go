package nano_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano"
)

// restartVar has the addresses that TestRestartProgram serves on.
const restartVar = "NANO_TEST_RESTART"

// TestRestartProgram is the program that TestRestart starts: this test binary. It
// responds with its process ID, restarts on SIGHUP and ends on SIGTERM.
func TestRestartProgram(t *testing.T) {
	addresses := os.Getenv(restartVar)
	if addresses == "" {
		t.Skip("this is a program for TestRestart")
	}
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, strconv.Itoa(os.Getpid())) })
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // it never outlives a test that fails
	defer cancel()
	var serving sync.WaitGroup
	for address := range strings.SplitSeq(addresses, " ") {
		serving.Go(func() {
			if err := app.Listen(address); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		})
	}
	end := app.Shutdown
	select {
	case s := <-signals:
		if s == syscall.SIGHUP {
			end = func(ctx context.Context) error { return app.Restart(ctx) }
		}
	case <-ctx.Done():
	}
	if err := end(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	serving.Wait()
}

// restartLoad asks for "/" until it is told to stop, every second time on a new
// connection.
type restartLoad struct {
	stop     atomic.Bool
	asked    atomic.Int64
	servers  sync.Map // process IDs that have responded
	failures chan error
	running  sync.WaitGroup
}

func (l *restartLoad) run(network, address string) {
	for range 4 {
		l.running.Go(func() {
			transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, address)
			}}
			client := &http.Client{Transport: transport, Timeout: time.Minute}
			for n := 0; !l.stop.Load(); n++ {
				if err := l.ask(client, n%2 == 0); err != nil {
					l.failures <- fmt.Errorf("%s: %w", address, err)
					return
				}
			}
			transport.CloseIdleConnections()
		})
	}
}

func (l *restartLoad) ask(client *http.Client, last bool) error {
	req, err := http.NewRequest("GET", "http://app/", nil)
	if err != nil {
		return err
	}
	req.Close = last
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	l.servers.Store(string(body), true)
	l.asked.Add(1)
	return nil
}

// more waits for another 100 responses.
func (l *restartLoad) more(t *testing.T) {
	t.Helper()
	for before := l.asked.Load(); l.asked.Load() < before+100; {
		select {
		case err := <-l.failures:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
}

// other waits for a response of a process that isn't old.
func (l *restartLoad) other(t *testing.T, old string) (pid string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		l.servers.Range(func(k, _ any) bool {
			if k != old {
				pid = k.(string)
			}
			return pid == ""
		})
		if pid != "" {
			return pid
		}
		select {
		case err := <-l.failures:
			t.Fatal(err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatal("no new process has responded")
	return ""
}

func TestRestartLosesNoConnection(t *testing.T) {
	t.Parallel() // it waits for processes, most of its time
	address, path := free(t), filepath.Join(t.TempDir(), "app.sock")
	program := exec.Command(os.Args[0], "-test.run=^TestRestartProgram$")
	program.Env = append(os.Environ(), restartVar+"="+address+" unix:"+path)
	program.Stderr = os.Stderr
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill() })
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	for _, a := range [][2]string{{"tcp", address}, {"unix", path}} {
		for until := time.Now().Add(time.Minute); ; { // a busy machine takes its time to start it
			c, err := net.Dial(a[0], a[1])
			if err == nil {
				c.Close()
				break
			}
			select {
			case why := <-ended:
				t.Fatal("the program has ended: ", why)
			case <-time.After(5 * time.Millisecond):
			}
			if time.Now().After(until) {
				t.Fatal(err)
			}
		}
	}
	load := &restartLoad{failures: make(chan error, 16)}
	load.run("tcp", address)
	load.run("unix", path)
	load.more(t)
	first := strconv.Itoa(program.Process.Pid)
	program.Process.Signal(syscall.SIGHUP)
	second := load.other(t, first)
	if err := <-ended; err != nil {
		t.Error("the old process:", err)
	}
	load.more(t)
	load.stop.Store(true)
	load.running.Wait()
	close(load.failures)
	for err := range load.failures {
		t.Error(err)
	}
	pid, _ := strconv.Atoi(second)
	if pid <= 1 {
		t.Fatalf("the new process is %q", second)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); { // it ends, and takes the socket's file with it
		if _, err := os.Stat(path); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("the new process has left its socket behind")
}

func TestRestartOfWhatCannotBeHandedOver(t *testing.T) {
	at, app := serve(t, nano.Config{}, nil)
	c := dial(t, at)
	c.send(get)
	c.want(200, "hello")
	// It is one app, also if it is named among the others.
	if err := app.Restart(context.Background(), app); err == nil || !strings.Contains(err.Error(), "can't be handed over") {
		t.Error(err)
	}
	c.send(get)
	c.want(200, "hello") // it goes on serving
}
