package subject

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// portAttempts is how many free ports are tried when another process takes the port
// before the subject does.
const portAttempts = 3

// StartError says why a subject did not get ready, with what it printed last.
type StartError struct {
	Subject string
	Called  i18n.Message // what messages call it, with its name
	Cause   error
	Last    []string // last lines printed, at most 30
	Log     string   // file with all it printed; may be empty
}

// Error is the cause, followed by the last lines.
func (e *StartError) Error() string {
	text := fmt.Sprintf("%v %v", e.Called, e.Cause)
	if len(e.Last) > 0 {
		text += "; its last lines:\n  " + strings.Join(e.Last, "\n  ")
	}
	if e.Log != "" {
		text += "\nall it printed is in " + e.Log
	}
	return text
}

// PortTaken reports whether it found its port in use, which isn't the subject's fault:
// another process was faster.
func (e *StartError) PortTaken() bool { return errors.Is(e.Cause, errExited) && saysPortTaken(e.Last) }

// Exited reports whether it ended by itself before it was ready.
func (e *StartError) Exited() bool { return errors.Is(e.Cause, errExited) }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Cause }

// Start starts a subject under a keeper and waits until it is ready. The caller must
// call Stop on the instance. When Start fails (with a [*StartError] if the subject was
// executed) or ctx ends before the subject is ready, nothing of it is left running.
//
// The program that calls Start must hand over to [KeeperMain] at its beginning
// if [IsKeeper] says so.
func Start(ctx context.Context, s StartSpec) (*Instance, error) {
	if err := s.check(); err != nil {
		return nil, i18n.Errorf("subject.its-error", "%v: %w", s.called(), err)
	}
	if s.Upstream != nil {
		return s.startBehind(ctx)
	}
	if s.Port != 0 {
		if err := portIsFree(s.Port); err != nil {
			return nil, s.portTaken(err)
		}
	}
	for attempt := 1; ; attempt++ {
		in, err := s.attempt(ctx)
		var failure *StartError
		taken := errors.As(err, &failure) && failure.PortTaken()
		if !taken || s.Port != 0 || attempt == portAttempts {
			return in, err
		}
	}
}

func (s *StartSpec) portTaken(err error) error {
	return i18n.Errorf("subject.port-taken", "%v can't have port %d: %w; choose another, or leave the choice to dyno", s.called(), s.Port, err)
}

func cantStart(called i18n.Message, err error) error {
	return i18n.Errorf("subject.cant-start", "start %v: %w", called, err)
}

// The name of a log that there is for as long as a subject runs.
const tempLogPrefix, tempLogSuffix = "dyno-subject-", ".log"

// attempt starts the subject once, on one port.
func (s *StartSpec) attempt(ctx context.Context) (*Instance, error) {
	port := s.Port
	if port == 0 {
		var err error
		if port, err = freePort(); err != nil {
			return nil, err
		}
	}
	o, err := s.launchRequest(port)
	if err != nil {
		return nil, cantStart(s.called(), err)
	}
	log, err := s.openLog()
	if err != nil {
		return nil, cantStart(s.called(), err)
	}
	defer log.Close()
	h, err := startKeeper(o, log, s.Log == "")
	if err != nil {
		if s.Log == "" {
			os.Remove(log.Name())
		}
		return nil, cantStart(s.called(), err)
	}
	in := &Instance{
		name: s.Name, called: s.called(), folder: o.Folder, port: port, handle: h, log: log.Name(), ownLog: s.Log == "",
		url:     s.scheme() + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		stopped: make(chan struct{}), done: make(chan struct{}),
	}
	if err := in.begin(ctx, s); err != nil {
		return nil, err
	}
	return in, nil
}

func (s *StartSpec) scheme() string {
	if s.TLS != nil {
		return "https"
	}
	return "http"
}

// openLog opens the file for what the subject prints, as [logBound] needs it.
// Without a path it is a temporary one, for the last lines are wanted when the
// subject dies.
func (s *StartSpec) openLog() (*os.File, error) {
	name := s.Log
	if name == "" {
		temp, err := os.CreateTemp("", tempLogPrefix+"*"+tempLogSuffix)
		if err != nil {
			return nil, err
		}
		temp.Close()
		name = temp.Name()
	}
	return os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND, 0o644)
}

// begin waits until the subject is ready. If it fails, it stops the subject.
func (in *Instance) begin(ctx context.Context, s *StartSpec) error {
	n, err := in.handle.awaitStart(ctx)
	if err != nil {
		in.abandon()
		in.removeLog()
		return cantStart(s.called(), err)
	}
	in.pid, in.cgroup, in.remarks = n.Entry.PID, n.Entry.Cgroup, n.Remarks
	in.unenforced = n.Unenforced
	if n.Address != "" {
		in.url = s.scheme() + "://" + net.JoinHostPort(n.Address, strconv.Itoa(in.port))
	}
	poll := pollOf(in.url, s.Ready, s.Poll, s.TLS)
	if s.Check != nil {
		poll = func(ctx context.Context) error { return s.Check(ctx, in.port) }
	}
	if err := awaitReady(ctx, poll, s.Timeout, in.handle.exited); err != nil {
		return in.notReady(ctx, err, s.Log)
	}
	in.startUp = time.Duration(monotonic() - n.Began)
	go in.watch()
	return nil
}

// exitedWell is the status of a program that ended without an error.
const exitedWell = "exit status 0"

// notReady stops a subject that did not get ready and says why it did not.
func (in *Instance) notReady(ctx context.Context, cause error, log string) error {
	status := in.abandon()
	defer in.removeLog()
	if ctx.Err() != nil {
		return cantStart(in.called, cause)
	}
	if errors.Is(cause, errExited) {
		cause = fmt.Errorf("%w (%s)", errExited, status)
		if status == exitedWell {
			cause = i18n.Errorf("subject.leaves-foreground", "%w; what it runs must stay in the foreground, as it is taken for ended when its command is", cause)
		}
	}
	return &StartError{Subject: in.name, Called: in.called, Cause: cause, Last: tail(in.log, lastLines), Log: log}
}
