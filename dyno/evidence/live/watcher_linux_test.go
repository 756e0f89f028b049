package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

// serverVariable makes this program a server that sleeps in a system call at /sleep.
const serverVariable = "DYNO_TEST_LIVE"

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) == "" {
		os.Exit(m.Run())
	}
	http.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/sleep", func(http.ResponseWriter, *http.Request) {
		long := syscall.NsecToTimespec(int64(100 * time.Millisecond))
		syscall.Nanosleep(&long, nil)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	fmt.Fprintln(os.Stderr, http.Serve(l, nil))
	os.Exit(1)
}

// server starts one, which ends with the test.
func server(t *testing.T) (addr string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	addr, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(addr), cmd
}

// TestWatch: what the slowest requests wait for is named, without a generator that tells.
func TestWatch(t *testing.T) {
	addr, cmd := server(t)
	_, text, _ := net.SplitHostPort(addr)
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if got := Ports(pid); len(got) != 1 || got[0] != port {
		t.Errorf("ports %v, want %d", got, port)
	}
	w, err := Watch(pid, port)
	if err != nil {
		t.Skip("no probes here: ", err)
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, path := range []string{"/", "/sleep"} {
		go func() {
			client := http.Client{Transport: &http.Transport{}}
			for ctx.Err() == nil {
				response, err := client.Get("http://" + addr + path)
				if err == nil {
					response.Body.Close()
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
	}
	var v View
	for end := time.Now().Add(time.Minute); ; {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %+v", v)
		}
		if v, err = w.Next(ctx, time.Second); err != nil {
			t.Fatal(err)
		}
		if v.Requests > 0 && len(v.Stages) > 0 && v.Stages[0].Stage == evidence.Sleep && len(v.Connections) > 0 && v.Connections[0].Most == evidence.Sleep && v.Connections[0].Worst >= 100*time.Millisecond {
			break
		}
	}
	cancel()
	if _, err := w.Next(ctx, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	cmd.Process.Kill()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if _, err = w.Next(t.Context(), time.Second); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrGone) {
		t.Errorf("of a process that has ended: %v", err)
	}
}
