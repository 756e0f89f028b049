//go:build !linux

package subject

// The functions of this package on systems other than Linux, as far as they have them.

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"dyno.example/dyno/subject/link"
)

// OnlineCPUs returns the numbers of all CPUs: which of them this process may use isn't
// known here.
func OnlineCPUs() ([]int, error) {
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	return cpus, nil
}

// buildAttributes gives a build a process group of its own.
func buildAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// syncBuild leaves it to the system when what was built is on the disk.
func syncBuild(string) error { return nil }

// adoptOrphans has no counterpart here: a descendant that leaves its process
// group is not followed.
func adoptOrphans() {}

// launch starts the subject in a process group of its own.
func launch(o launchRequest) (child, error) {
	c := child{remarks: []string{"on this system the subject can't be pinned to CPUs, and children that leave its process group are not ended with it"}}
	if o.Link != nil {
		_, err := link.Enter(*o.Link)
		return c, err
	}
	if !o.Limits.none() {
		c.unenforced = []string{"limits can be enforced on Linux only"}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return c, err
	}
	defer null.Close()
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if o.RunAs != nil {
		attributes.Credential = o.RunAs.credential()
	}
	c.began = monotonic()
	c.PID, err = syscall.ForkExec(o.Argv[0], o.Argv, &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{null.Fd(), 1, 2}, Sys: attributes,
	})
	return c, err
}

// monotonic is the wall clock here, for want of one clock that all processes
// can read through the standard library.
func monotonic() int64 { return time.Now().UnixNano() }

func executable() (string, error) { return os.Executable() }

// There is no /proc here. So nothing but process groups is ended, and a journal's
// entries are never matched with processes.

func descendants(int) []int         { return nil }
func running([]int) int             { return 0 }
func marked(string) []identity      { return nil }
func alive(identity) bool           { return false }
func killProcess(identity)          {}
func self() identity                { return identity{PID: os.Getpid()} }
func bootID() string                { return "" }
func pidNamespace() string          { return "" }
func startTime(int) (uint64, error) { return 0, nil }

// cgroup is a thing of Linux; here it is always nil.
type cgroup struct{ path string }

func openCgroup(string) *cgroup { return nil }
func (*cgroup) members() []int  { return nil }
func (*cgroup) kill()           {}
func (*cgroup) remove()         {}

// limitGroup is a thing of Linux; here there are none.
type limitGroup struct{}

func (*child) removeLimitGroups()        {}
func (*child) outOfMemory() int          { return 0 }
func (*child) limitGroupPaths() []string { return nil }
func (*child) statusOf(status syscall.WaitStatus, _ *Limits) string {
	return describe(status)
}

// FreeSpace is known on Linux only.
func FreeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
