package subject

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"dyno.example/dyno/subject/link"
)

// endWithin is how long killing may take before what is left is reported: a
// process that waits for a broken disk can't be killed.
const endWithin = 10 * time.Second

// followWithin is how long the rest of a subject may take to end when its process group has
// ended. Helpers with a session of their own get no signal; good ones notice that their
// program has gone, as Erlang's erl_child_setup does.
const followWithin = 250 * time.Millisecond

// IsKeeper reports whether args, those of the process, are a keeper's.
func IsKeeper(args []string) bool { return len(args) > 1 && args[1] == keeperArg }

// KeeperMain is the main function of a keeper: dyno's executable, started by
// [Start] with a hidden argument (see [IsKeeper]). It must be called before
// anything else, and does not return.
//
// A keeper starts one subject, adopts all descendants of it that lose their parent, and
// ends all of them on command, when the subject has died, or when dyno has: then its
// end of the control pipe closes, whatever killed it.
func KeeperMain() {
	// The kernel sends the subject its parent's death signal when the thread
	// that forked it ends, so this goroutine keeps its thread.
	runtime.LockOSThread()
	syscall.CloseOnExec(controlFD)
	syscall.CloseOnExec(notificationFD)
	control, notifications := os.NewFile(controlFD, "control"), os.NewFile(notificationFD, "notifications")
	if control == nil || notifications == nil {
		fmt.Fprintln(os.Stderr, keeperArg+" is for dyno's own use")
		os.Exit(2)
	}
	k := &keeper{notifications: json.NewEncoder(notifications)}
	os.Exit(k.main(json.NewDecoder(control)))
}

// keeper is the state of a keeper process.
type keeper struct {
	launch        launchRequest
	notifications *json.Encoder
	child         child
	commands      chan command
	exited        chan string   // gets the exit status of the subject
	gone          chan struct{} // closed when no child is left
	died          bool          // the subject has ended by itself, and its status says of what
	deserted      atomic.Bool   // dyno's end of the pipe was closed by nobody but the kernel
}

// child is a subject that has been started.
type child struct {
	identity
	group   *cgroup // nil if there is none
	began   int64
	remarks []string

	limitGroups []limitGroup // that limit it
	unenforced  []string     // limits that could not be

	link *link.Open // nil for none
}

// address is where the child is behind its link; empty without one.
func (c *child) address() string {
	if c.link == nil {
		return ""
	}
	return c.link.Address.String()
}

func (k *keeper) main(control *json.Decoder) int {
	defer k.removeTempLog()
	if err := control.Decode(&k.launch); err != nil {
		return 1 // dyno died before it said what to start
	}
	k.commands = make(chan command, 4)
	signals := make(chan os.Signal, 4)
	// Caught rather than ignored, because a child inherits what is ignored.
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	go k.listen(control)
	go k.obey(signals)
	if err := k.start(); err != nil {
		removeFolder(k.launch.Folder, k.launch.Token)
		k.tell(notification{Event: eventFailed, Error: err.Error()})
		return 1
	}
	entry := k.entry()
	if err := entry.write(k.launch.StateDir); err != nil {
		k.child.remarks = append(k.child.remarks, err.Error())
	}
	k.tell(notification{Event: eventStarted, Entry: entry, Began: k.child.began, Remarks: k.child.remarks, Unenforced: k.child.unenforced, Address: k.child.address()})
	go k.reap()
	stop := (&logBound{log: os.Stdout, limit: k.launch.LogLimit}).watch()
	k.watch()
	killed := running(descendants(os.Getpid()))
	left := k.killAll()
	k.child.link.Close()
	stop()
	gone := notification{Event: eventGone, Left: left, Killed: killed}
	if !k.died {
		gone.OutOfMemory = k.child.outOfMemory()
	}
	if len(left) == 0 { // else the journal is how the next sweep knows of them
		k.child.group.remove()
		k.child.removeLimitGroups()
		removeFolder(k.launch.Folder, k.launch.Token)
		entry.remove(k.launch.StateDir)
	}
	if k.deserted.Load() { // before that is reported, after which dyno closes the pipe
		removeOwnLog()
	}
	k.tell(gone)
	return 0
}

// removeTempLog removes the temporary log, whose name is the keeper's last argument, if dyno has
// died, which was the keeper's parent, or has not said what to start. Otherwise dyno does so when
// it has read it.
func (k *keeper) removeTempLog() {
	if os.Getppid() != k.launch.Owner.PID {
		removeOwnLog()
	}
}

func removeOwnLog() {
	if len(os.Args) > 3 {
		_ = os.Remove(os.Args[3])
	}
}

// start launches the subject.
func (k *keeper) start() error {
	k.exited, k.gone = make(chan string, 1), make(chan struct{})
	if err := makeFolder(k.launch.Folder, k.launch.RunAs); err != nil {
		return err
	}
	adoptOrphans()
	c, err := launch(k.launch)
	if err != nil {
		return fmt.Errorf("start %s: %w", k.launch.Argv[0], err)
	}
	k.child = c
	return nil
}

func (k *keeper) entry() Entry {
	e := Entry{
		Subject: k.launch.Name, PID: k.child.PID, Start: k.child.Start, Group: k.child.PID,
		Boot: bootID(), Namespace: pidNamespace(), Keeper: self(), Owner: k.launch.Owner,
		Token: k.launch.Token, Began: time.Now(), Folder: k.launch.Folder, LimitGroups: k.child.limitGroupPaths(),
	}
	if len(os.Args) > 3 {
		e.Log = os.Args[3]
	}
	if k.child.group != nil {
		e.Cgroup = k.child.group.path
	}
	return e
}

// tell sends a notification. If dyno is gone, that doesn't matter.
func (k *keeper) tell(n notification) { _ = k.notifications.Encode(n) }

// listen passes on dyno's commands; the end of the pipe is one to stop. Dyno itself closes it
// only when it has given up the subject, or knows that it is gone. One that dies may still be the
// keeper's parent then, as its threads end one after the other.
func (k *keeper) listen(control *json.Decoder) {
	var last command
	for {
		var w command
		if err := control.Decode(&w); err != nil {
			k.deserted.Store(last != commandKill)
			k.commands <- commandStop
			return
		}
		last = w
		k.commands <- w
	}
}

// obey makes a request to terminate the keeper one to stop the subject. The
// other signals have nothing to say to it.
func (k *keeper) obey(signals <-chan os.Signal) {
	for s := range signals {
		if s == syscall.SIGTERM {
			k.commands <- commandStop
		}
	}
}

// reap collects every child that ends, adopted ones too, and closes k.gone
// when there are none left.
func (k *keeper) reap() {
	defer close(k.gone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case pid == k.child.PID:
			k.exited <- k.child.statusOf(status, &k.launch.Limits)
		}
	}
}

// watch returns when the subject has died or is to be killed.
func (k *keeper) watch() {
	select {
	case status := <-k.exited:
		k.died = true
		k.tell(notification{Event: eventExited, Status: status})
	case w := <-k.commands:
		if w == commandStop {
			k.terminate()
		}
	}
}

// terminate sends SIGTERM to the subject's process group and waits until it has ended,
// or until the grace period is over.
func (k *keeper) terminate() {
	_ = syscall.Kill(-k.child.PID, k.launch.StopSignal)
	deadline := time.After(k.launch.Grace)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-deadline:
			return
		case <-k.gone:
			return
		case w := <-k.commands:
			if w == commandKill {
				return
			}
		case status := <-k.exited:
			k.tell(notification{Event: eventExited, Status: status})
		case <-look.C:
			if errors.Is(syscall.Kill(-k.child.PID, 0), syscall.ESRCH) {
				deadline = time.After(followWithin)
				look.Stop() // what is left has gone its own way, and won't hear
			}
		}
	}
}

// killAll kills until no descendant is left, however fast they fork, and
// returns those that would not die.
func (k *keeper) killAll() []int {
	deadline := time.After(endWithin)
	for {
		k.kill()
		select {
		case <-k.gone:
			return nil
		case <-deadline:
			return slices.Sorted(slices.Values(descendants(os.Getpid())))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// kill sends SIGKILL to every descendant there is now.
func (k *keeper) kill() {
	k.child.group.kill()
	_ = syscall.Kill(-k.child.PID, syscall.SIGKILL)
	for _, pid := range descendants(os.Getpid()) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// describe says how a process ended, in the words of package os.
func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
