package subject

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"dyno.example/internal/i18n"
)

// stopMargin is how long Stop waits for the keeper's last word once its context has
// ended and everything was to be killed.
const stopMargin = 5 * time.Second

// Instance is a subject that is ready: one that was started, or one that was already
// up, of which only the URL is known. Its methods may be called from any goroutine.
type Instance struct {
	name    string
	called  i18n.Message // what messages call it
	folder  string       // of its own; empty for none
	url     string
	port    int
	pid     int
	startUp time.Duration
	cgroup  string
	remarks []string

	unenforced []string // limits
	log        string
	ownLog     bool      // the log is temporary and ours to remove
	handle     *handle   // nil when attached
	upstream   *Instance // nil without

	stop    sync.Once
	end     sync.Once
	stopped chan struct{} // closed when Stop was called
	done    chan struct{} // closed after err is set
	err     error
}

// Attach makes an instance of a service that is already up at baseURL,
// "http://host:port" or "https://host:port". It has no process; stopping it does nothing to the
// service.
func Attach(name, baseURL string) (*Instance, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, i18n.Errorf("runner.subject", "subject %s: %w", name, err)
	}
	port, ok := map[string]int{"http": 80, "https": 443}[u.Scheme]
	if !ok || u.Hostname() == "" {
		return nil, i18n.Errorf("subject.bad-base-url", "subject %s: %q is not a base URL; expected one such as http://127.0.0.1:8080", name, baseURL)
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, i18n.Errorf("subject.not-a-port", "subject %s: %q is not a port", name, u.Port())
		}
	}
	return &Instance{
		name: name, called: i18n.New("subject.a-subject", "subject %s", name), url: u.Scheme + "://" + u.Host, port: port,
		stopped: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

// Name returns the name it was started or attached with.
func (in *Instance) Name() string { return in.name }

// PID returns the ID of the subject's first process, the root of its tree, or
// 0 when attached.
func (in *Instance) PID() int { return in.pid }

// Keeper returns the ID of the process of dyno's that the subject runs under, which also
// is the network before it where one was asked for; 0 when attached.
func (in *Instance) Keeper() int {
	if in.handle == nil {
		return 0
	}
	return in.handle.cmd.Process.Pid
}

// Port returns the TCP port it listens on.
func (in *Instance) Port() int { return in.port }

// Folder returns the folder that it works in and that goes with it; empty for none.
func (in *Instance) Folder() string { return in.folder }

// URL returns "http://host:port", or "https://host:port" of one that speaks TLS.
func (in *Instance) URL() string { return in.url }

// StartUp returns the time from its execution to its first response; 0 when attached.
func (in *Instance) StartUp() time.Duration { return in.startUp }

// ExecutableSize returns the size in bytes of the file that the subject's first process
// executes; 0 when attached, when it has ended, or where the system doesn't know (Linux
// does).
func (in *Instance) ExecutableSize() int64 {
	if in.pid == 0 {
		return 0
	}
	info, err := os.Stat("/proc/" + strconv.Itoa(in.pid) + "/exe")
	if err != nil {
		return 0
	}
	return info.Size()
}

// Cgroup returns the folder of the cgroup that holds all its processes and no
// others, or nothing if there is none.
func (in *Instance) Cgroup() string { return in.cgroup }

// Remarks says in plain words what this machine did not allow, such as a
// cgroup.
func (in *Instance) Remarks() []string { return in.remarks }

// Unenforced says which of its limits this machine could not enforce, and why.
func (in *Instance) Unenforced() []string { return in.unenforced }

// Upstream returns what it sends requests on to, if it was started with that; else nil.
func (in *Instance) Upstream() *Instance { return in.upstream }

// Done is closed when the subject, or its upstream, has ended or was stopped.
func (in *Instance) Done() <-chan struct{} { return in.done }

// Err returns nil while the subject runs and after it was stopped, and how it
// ended, with its last lines, if it ended by itself.
func (in *Instance) Err() error {
	select {
	case <-in.done:
		return in.err
	default:
		return nil
	}
}

// Stop ends the subject and all its descendants, and returns when nothing is left of
// them. It sends SIGTERM first and kills after the grace period, or as soon as ctx
// ends. It may be called more than once.
func (in *Instance) Stop(ctx context.Context) error {
	in.stop.Do(func() {
		close(in.stopped)
		if in.handle == nil {
			in.ended(nil)
			return
		}
		in.handle.send(commandStop)
	})
	if in.handle == nil {
		return nil
	}
	err := in.awaitGone(ctx)
	if in.upstream != nil {
		err = errors.Join(err, in.upstream.Stop(ctx))
	}
	return err
}

// Killed returns how many of its processes had not ended by themselves within the grace
// period, or had been left behind. It is known once Stop has returned; 0 when attached,
// and where the system doesn't know (Linux does).
func (in *Instance) Killed() int {
	if in.handle == nil {
		return 0
	}
	select {
	case <-in.handle.gone:
		return in.handle.killed
	default:
		return 0
	}
}

func (in *Instance) awaitGone(ctx context.Context) error {
	select {
	case <-in.handle.gone:
	case <-ctx.Done():
		in.handle.send(commandKill)
		select {
		case <-in.handle.gone:
		case <-time.After(stopMargin):
			return i18n.Errorf("subject.keeper-silent", "stop %v: its keeper does not respond: %w", in.called, context.Cause(ctx))
		}
	}
	in.removeLog()
	return in.handle.err
}

func (in *Instance) removeLog() {
	if in.ownLog {
		os.Remove(in.log)
	}
}

// abandon stops a subject that never got ready, without grace, and returns
// how it ended.
func (in *Instance) abandon() string {
	in.handle.send(commandKill)
	in.handle.control.Close()
	<-in.handle.gone
	return in.handle.status
}

// watch sets the instance's error when the subject ends, and says so.
func (in *Instance) watch() {
	<-in.handle.exited
	select {
	case <-in.stopped:
		in.ended(nil)
	default:
		in.ended(in.death())
	}
}

// ended sets how the subject ended, once.
func (in *Instance) ended(err error) {
	in.end.Do(func() {
		in.err = err
		close(in.done)
	})
}

func (in *Instance) death() error {
	text := fmt.Sprintf("%v died: %s", in.called, in.handle.status)
	if last := tail(in.log, lastLines); len(last) > 0 {
		text += "; its last lines:\n  " + strings.Join(last, "\n  ")
	}
	return errors.New(text)
}
