package subject

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/subject/link"
)

// adoptOrphans makes this process the parent of all descendants that lose
// theirs (PR_SET_CHILD_SUBREAPER, prctl(2)).
func adoptOrphans() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// launch starts the subject in a process group of its own, on its CPUs and,
// where permitted, in its own cgroup. The calling goroutine must keep its
// thread for as long as the subject is to live.
func launch(o launchRequest) (child, error) {
	var c child
	name := fmt.Sprintf("dyno-%d-%.8s", os.Getpid(), o.Token)
	c.makeLimitGroups(&o, name)
	if len(o.CPUs) > 0 {
		restore, err := pinThread(o.CPUs)
		if err != nil {
			c.removeLimitGroups()
			return c, err
		}
		defer restore()
	}
	if err := raiseFileLimit(); err != nil {
		c.remarks = append(c.remarks, err.Error())
	}
	if c.group == nil {
		group, err := newCgroup(name)
		if err != nil {
			c.remarks = append(c.remarks, "the subject has no cgroup of its own: "+err.Error())
		}
		c.group = group
	}
	if err := c.execBehind(o); err != nil {
		c.group.remove()
		c.removeLimitGroups()
		return c, err
	}
	c.Start, _ = startTime(c.PID)
	return c, nil
}

// execBehind executes behind a link, if one is asked for.
func (c *child) execBehind(o launchRequest) error {
	if o.Link == nil {
		return c.exec(o)
	}
	var err error
	if c.link, err = link.Enter(*o.Link); err != nil {
		return err
	}
	err = c.exec(o)
	if leaveErr := c.link.Leave(); err == nil {
		err = leaveErr
	}
	if err != nil {
		c.link.Close()
	}
	return err
}

// exec forks and executes. A kernel or sandbox that won't fork into a cgroup
// costs the subject its cgroup, not its start.
func (c *child) exec(o launchRequest) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	attr := &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{null.Fd(), 1, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	if o.RunAs != nil {
		attr.Sys.Credential = o.RunAs.credential()
	}
	leaveLimits, err := c.enterLimitGroups()
	if err != nil {
		return err
	}
	defer leaveLimits()
	leave, err := c.group.enter(attr.Sys)
	if err != nil {
		c.withoutCgroup(err)
	}
	c.began = monotonic()
	c.PID, err = syscall.ForkExec(o.Argv[0], o.Argv, attr)
	leave()
	if err != nil && attr.Sys.UseCgroupFD {
		attr.Sys.UseCgroupFD = false
		c.began = monotonic()
		pid, second := syscall.ForkExec(o.Argv[0], o.Argv, attr)
		if second != nil {
			return second
		}
		c.withoutCgroup(err)
		c.PID, err = pid, nil
	}
	return err
}

func (c *child) withoutCgroup(why error) {
	if len(c.limitGroups) > 0 && c.limitGroups[0].cgroup == c.group {
		c.limitGroups = nil
		c.unenforced = append(c.unenforced, "the subject is not limited: "+why.Error())
	}
	c.group.remove()
	c.group = nil
	c.remarks = append(c.remarks, "the subject has no cgroup of its own: "+why.Error())
}

// raiseFileLimit lets the subject open as many files as the machine allows:
// a soft limit of 1024 would otherwise end programs that don't raise it.
func raiseFileLimit() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("ask for the limit of open files: %w", err)
	}
	limit.Cur = limit.Max
	// Having been set here, it is not undone in children by package syscall.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raise the limit of open files: %w", err)
	}
	return nil
}

// monotonic is CLOCK_MONOTONIC in nanoseconds, the same for all processes.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // can't fail with this clock
	return t.Nano()
}

// executable is this very program, even if its file has been replaced since.
func executable() (string, error) { return "/proc/self/exe", nil }
