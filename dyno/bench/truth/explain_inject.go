//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// injection does something to a service from outside until ctx ends. It returns when that
// has begun; undo takes it back.
type injection func(ctx context.Context, l *lab, pid int) (undo func(), err error)

// hog has another program compute on the service's CPU, on which it is pinned.
func hog(ctx context.Context, l *lab, pid int) (func(), error) {
	cpu := lastCPU()
	if err := pinAll(pid, cpu); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, l.self, "burn")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	undo := func() { cmd.Process.Kill(); cmd.Wait() }
	if err := pinAll(cmd.Process.Pid, cpu); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

// ownCPU pins the service on a CPU: what it computes beside its requests doesn't hold up the
// generator, which would be the generator's delay then.
func ownCPU(_ context.Context, _ *lab, pid int) (func(), error) {
	return func() {}, pinAll(pid, lastCPU())
}

// burn uses a CPU for 100 ms of 400, for ever: a neighbour that comes and goes.
func burn() {
	for {
		compute(100 * time.Millisecond)
		time.Sleep(300 * time.Millisecond)
	}
}

func lastCPU() int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return 0
	}
	for cpu := 1023; cpu > 0; cpu-- {
		if set.IsSet(cpu) {
			return cpu
		}
	}
	return 0
}

// pinAll pins all threads of a process.
func pinAll(pid, cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return keepOn(pid, &set)
}

// keepOn keeps all threads of a process on some CPUs.
func keepOn(pid int, set *unix.CPUSet) error {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return err
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// keepOff keeps this process off the last CPU, which the service has, as a study does; undo
// lets it go everywhere again.
func keepOff() (undo func(), err error) {
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, err
	}
	off := before
	if off.Clear(lastCPU()); off.Count() == 0 {
		return func() {}, nil
	}
	return func() { keepOn(os.Getpid(), &before) }, keepOn(os.Getpid(), &off)
}

// quota gives the service 15 ms of CPU time each 100 ms, and requests that need more.
func quota(_ context.Context, _ *lab, pid int) (func(), error) {
	root := "/sys/fs/cgroup/cpu"
	if _, err := os.Stat(filepath.Join(root, "cpu.cfs_quota_us")); err != nil {
		root = "/sys/fs/cgroup"
	}
	dir := filepath.Join(root, fmt.Sprintf("dyno-truth-%d", pid))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	undo := func() {
		os.WriteFile(filepath.Join(root, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
		os.Remove(dir)
	}
	for _, try := range []struct{ file, text string }{{"cpu.cfs_quota_us", "4000"}, {"cpu.max", "4000 100000"}} {
		if os.WriteFile(filepath.Join(dir, try.file), []byte(try.text), 0) != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			undo()
			return nil, err
		}
		return undo, nil
	}
	undo()
	return nil, fmt.Errorf("%s takes no quota", dir)
}

// stoppingFor stops the service again and again.
func stoppingFor(length, every time.Duration) injection {
	return func(ctx context.Context, _ *lab, pid int) (func(), error) {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				syscall.Kill(pid, syscall.SIGSTOP)
				time.Sleep(length)
				syscall.Kill(pid, syscall.SIGCONT)
				select {
				case <-ctx.Done():
				case <-time.After(every - length):
				}
			}
		}()
		return func() { cancel(); <-ended }, nil
	}
}

// nightly writes to the disk as fast as that takes it, as a backup does.
func nightly(ctx context.Context, l *lab, _ int) (func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	f, err := os.Create(filepath.Join(l.dir, "backup"))
	if err != nil {
		cancel()
		return nil, err
	}
	go func() {
		defer close(ended)
		defer os.Remove(f.Name())
		defer f.Close()
		block := make([]byte, 4<<20)
		for ctx.Err() == nil {
			f.Seek(0, 0)
			for range 8 {
				f.Write(block)
			}
			f.Sync()
		}
	}()
	return func() { cancel(); <-ended }, nil
}

// slowUpstream responds after 40 ms.
func slowUpstream() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(40 * time.Millisecond)
		fmt.Fprint(w, "ok")
	}))
}

// slowResolver is a name server that says after 200 ms that it knows nothing.
func slowResolver() (addr string, stop func(), err error) {
	c, err := net.ListenPacket("udp4", "127.0.0.77:53")
	if err != nil {
		return "", nil, err
	}
	go func() {
		buffer := make([]byte, 512)
		for {
			n, from, err := c.ReadFrom(buffer)
			if err != nil {
				return
			}
			query := append([]byte(nil), buffer[:n]...)
			time.AfterFunc(200*time.Millisecond, func() {
				if len(query) > 3 {
					query[2], query[3] = query[2]|0x80, 0x83 // a response: no such name
					c.WriteTo(query, from)
				}
			})
		}
	}()
	return c.LocalAddr().String(), func() { c.Close() }, nil
}
