package subject

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"dyno.example/internal/i18n"
)

// handle is dyno's end of a keeper: it sends it what to launch and commands, and gets notifications.
type handle struct {
	launch   launchRequest
	cmd      *exec.Cmd
	control  *os.File
	mu       sync.Mutex // of writes to control
	commands *json.Encoder

	started chan notification // gets eventStarted or eventFailed; closed if there will be none
	exited  chan struct{}     // closed when the subject's first process has ended
	gone    chan struct{}     // closed when nothing is left

	status string // how the subject ended; valid once exited is closed
	killed int    // processes that had to be killed; valid once gone is closed
	err    error  // what could not be ended; valid once gone is closed
}

// startKeeper starts a keeper that runs o; what the subject prints goes to log.
func startKeeper(o launchRequest, log *os.File, temporary bool) (*handle, error) {
	exe, err := executable()
	if err != nil {
		return nil, i18n.Errorf("subject.start-keeper", "start the keeper: %w", err)
	}
	controlIn, controlOut, err := os.Pipe()
	if err != nil {
		return nil, i18n.Errorf("subject.start-keeper", "start the keeper: %w", err)
	}
	defer controlIn.Close()
	notificationsIn, notificationsOut, err := os.Pipe()
	if err != nil {
		controlOut.Close()
		return nil, i18n.Errorf("subject.start-keeper", "start the keeper: %w", err)
	}
	defer notificationsOut.Close()
	h := &handle{
		launch: o, control: controlOut, commands: json.NewEncoder(controlOut),
		started: make(chan notification, 1), exited: make(chan struct{}), gone: make(chan struct{}),
	}
	h.cmd = exec.Command(exe)
	h.cmd.Args = []string{"dyno", keeperArg, o.Name}
	if temporary { // before all else, as dyno may be killed before it has said what to start
		h.cmd.Args = append(h.cmd.Args, log.Name())
	}
	h.cmd.Stdout, h.cmd.Stderr = log, log
	h.cmd.ExtraFiles = []*os.File{controlIn, notificationsOut} // controlFD, notificationFD
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := h.cmd.Start(); err != nil {
		controlOut.Close()
		notificationsIn.Close()
		return nil, i18n.Errorf("subject.start-keeper", "start the keeper: %w", err)
	}
	go h.follow(notificationsIn)
	if err := h.commands.Encode(o); err != nil {
		h.control.Close()
		<-h.gone
		return nil, i18n.Errorf("subject.keeper-request", "give the keeper its launch request: %w", err)
	}
	return h, nil
}

// follow reads the keeper's notifications until it has ended.
func (h *handle) follow(notifications *os.File) {
	defer close(h.gone)
	defer h.control.Close()
	defer notifications.Close()
	dec := json.NewDecoder(notifications)
	var seen keeperState
	for {
		var n notification
		if err := dec.Decode(&n); err != nil {
			break
		}
		h.hear(n, &seen)
	}
	close(h.started)
	_ = h.cmd.Wait() // its exit status says nothing the notifications have not
	if !seen.finished && seen.entry.PID != 0 {
		h.cleanUp(seen.entry)
	}
	if !seen.exited {
		if !seen.finished {
			h.status = "its keeper was killed"
		}
		close(h.exited)
	}
}

// keeperState is what a keeper has said so far.
type keeperState struct {
	entry    Entry // of the subject it has started
	exited   bool
	finished bool // its work is done: it will say no more
}

func (h *handle) hear(n notification, seen *keeperState) {
	switch n.Event {
	case eventStarted:
		seen.entry = n.Entry
		h.started <- n
	case eventFailed:
		seen.finished = true
		h.started <- n
	case eventExited:
		seen.exited = true
		h.status = n.Status
		close(h.exited)
	case eventGone:
		seen.finished = true
		h.killed = n.Killed
		h.reportLeft(n.Left)
		if n.OutOfMemory > 0 {
			h.err = errors.Join(h.err, i18n.Errorf("subject.out-of-memory", "the kernel killed %d of the processes of subject %s: together they needed more than their limit of memory, %s", n.OutOfMemory, h.launch.Name, h.launch.Limits.memoryText()))
		}
	}
}

func (h *handle) reportLeft(left []int) {
	if len(left) > 0 {
		h.err = i18n.Errorf("subject.processes-survive", "subject %s can't be ended: processes %v do not die", h.launch.Name, left)
	}
}

// cleanUp does the work of a keeper that was killed.
func (h *handle) cleanUp(e Entry) {
	if _, err := e.end(context.Background()); err != nil {
		h.err = err
		return
	}
	e.remove(h.launch.StateDir)
}

// send sends the keeper a command. One that has ended has done it already.
func (h *handle) send(w command) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.commands.Encode(w)
}

// awaitStart waits until the subject's program has been executed.
func (h *handle) awaitStart(ctx context.Context) (notification, error) {
	select {
	case n, ok := <-h.started:
		if !ok {
			return n, i18n.Errorf("subject.keeper-ended-early", "its keeper ended before it was started")
		}
		if n.Event == eventFailed {
			<-h.gone
			return n, errors.New(n.Error)
		}
		return n, nil
	case <-ctx.Done():
		return notification{}, context.Cause(ctx)
	}
}

// newToken returns 128 random bits in hexadecimal.
func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return hex.EncodeToString(b[:])
}
