package calibrate

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/nullserver"
)

// endWithParent makes the kernel kill the child when the thread that started it
// ends: a second net under the closing of its standard input.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// serve is the null server: as many loops as ordered on one loopback address,
// which it prints.
func serve(o serverOrder) error {
	servers, err := nullserver.ListenEach("127.0.0.1:0", max(o.Threads, 1))
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	for i, server := range servers {
		server.Calls = o.Calls
		go func() {
			runtime.LockOSThread()
			if len(o.CPUs) > 0 {
				_ = pin(o.CPUs[i%len(o.CPUs)]) // best effort: the kernel places it otherwise
			}
			failed <- server.Serve(context.Background())
		}()
	}
	if _, err := fmt.Fprintln(os.Stdout, "http://"+servers[0].Addr().String()); err != nil {
		return err
	}
	return <-failed
}

// pin ties the calling thread to a CPU; the caller has locked it.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("pinning a thread to CPU %d: %w", cpu, err)
	}
	return nil
}
