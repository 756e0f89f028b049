package nano

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Restart starts the program anew, as its file is now, with the same arguments,
// and gives it the listening sockets of the app and of others in the same
// process. When the new process serves on all of them, this one stops accepting
// and shuts down. No connection is refused or dropped in between: the sockets and
// the queues behind them are the same.
//
// The new process must call [App.Listen] or [App.ListenTLS] with the same
// addresses. If it ends before that, or ctx does, it is stopped, this one goes on
// serving, and Restart returns an error. The listeners of [App.Serve] can't be
// handed over: those are the caller's, or systemd's, who keeps them itself.
func (a *App) Restart(ctx context.Context, others ...*App) error {
	apps := []*App{a}
	for _, other := range others {
		if !slices.Contains(apps, other) {
			apps = append(apps, other)
		}
	}
	next, err := startNext(apps)
	if err != nil {
		return fmt.Errorf("nano: restart: %w", err)
	}
	if err := next.wait(ctx); err != nil {
		return fmt.Errorf("nano: restart: %w", err)
	}
	_, _ = Notify("MAINPID=" + strconv.Itoa(next.cmd.Process.Pid))
	var failures sync.WaitGroup
	errs := make([]error, len(apps))
	for i, a := range apps {
		a.keepFiles()
		failures.Go(func() { errs[i] = a.Shutdown(ctx) })
	}
	failures.Wait()
	return errors.Join(errs...)
}

// handed is what the new process learns of sockets it inherits: their number
// from descriptor 4 on, in this order.
type handed struct {
	Address string `json:"address"`
	Sockets int    `json:"sockets"`
}

const (
	handedVar   = "NANO_LISTENERS" // JSON of []handed
	readyFile   = 3                // a byte written to it says that all are served
	firstHanded = 4
)

// held is a listener that can be handed over.
type held struct {
	address string
	files   func() ([]*os.File, error) // duplicates of its sockets; nil: it can't be handed over
}

// holding are the listeners of an app.
type holding struct {
	mu     sync.Mutex
	held   []held
	handed bool // unix sockets' files are the new process' now
}

// hold notes a listener.
func (a *App) hold(address string, files func() ([]*os.File, error)) {
	a.holding.mu.Lock()
	defer a.holding.mu.Unlock()
	a.holding.held = append(a.holding.held, held{address, files})
}

// keepFiles leaves the files of unix sockets where they are at the end.
func (a *App) keepFiles() {
	a.holding.mu.Lock()
	defer a.holding.mu.Unlock()
	a.holding.handed = true
}

// filesKept reports whether the files of unix sockets are another process': the
// next one's, or still those of the one before, which goes on if we end early.
func (a *App) filesKept() bool {
	a.holding.mu.Lock()
	defer a.holding.mu.Unlock()
	return a.holding.handed || inherited().unfinished()
}

// next is the process that takes over.
type next struct {
	cmd   *exec.Cmd
	ready *os.File
}

func startNext(apps []*App) (*next, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ready, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	list, files, err := sockets(apps)
	files = append([]*os.File{tell}, files...)
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil {
		return nil, errors.Join(err, ready.Close())
	}
	text, _ := json.Marshal(list) // strings and numbers: it can't fail
	cmd := exec.Command(program, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), handedVar+"="+string(text))
	cmd.ExtraFiles = files
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, ready.Close())
	}
	return &next{cmd, ready}, nil
}

// sockets returns duplicates of all listening sockets.
func sockets(apps []*App) (list []handed, files []*os.File, err error) {
	for _, a := range apps {
		a.holding.mu.Lock()
		defer a.holding.mu.Unlock()
		for _, h := range a.holding.held {
			if h.files == nil {
				return nil, files, errors.New("a listener that was given to Serve or ServeTLS can't be handed over; use Listen or ListenTLS")
			}
			more, err := h.files()
			files = append(files, more...)
			if err != nil {
				return nil, files, fmt.Errorf("%s: %w", h.address, err)
			}
			list = append(list, handed{h.address, len(more)})
		}
	}
	if len(list) == 0 {
		return nil, nil, errors.New("the app doesn't listen")
	}
	return list, files, nil
}

// wait waits until the new process serves.
func (n *next) wait(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- n.cmd.Wait() }()
	said := make(chan error, 1)
	go func() {
		_, err := n.ready.Read(make([]byte, 1))
		said <- errors.Join(err, n.ready.Close())
	}()
	var err error
	select {
	case err = <-said:
		if err == nil {
			return nil
		}
		err = errors.New("the new process has let go of its sockets before it served on all of them")
	case <-ctx.Done():
		err = fmt.Errorf("the new process doesn't serve on all addresses yet: %w", context.Cause(ctx))
	}
	_ = n.cmd.Process.Kill() // it may have ended already
	return errors.Join(err, <-ended)
}

// inheritance is what the process was started with by Restart. Descriptors are
// the process' own, so there is one for all apps.
type inheritance struct {
	mu     sync.Mutex
	left   map[string][]*os.File // by address, until an app serves on it
	unmet  int                   // addresses that nobody serves on yet
	parent *os.File              // waits for all to be served
}

var inherited = sync.OnceValue(func() *inheritance {
	i := &inheritance{left: make(map[string][]*os.File)}
	text := os.Getenv(handedVar)
	os.Unsetenv(handedVar)
	var list []handed
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return i
	}
	fd := firstHanded
	for _, h := range list {
		for range h.Sockets {
			i.left[h.Address] = append(i.left[h.Address], inheritedFile(fd, "listener "+h.Address))
			fd++
		}
	}
	i.unmet, i.parent = len(i.left), inheritedFile(readyFile, "ready")
	return i
})

// claim takes the sockets of an address; none if there are none. served must be
// called when they are listened to.
func (i *inheritance) claim(address string) (files []*os.File) {
	i.mu.Lock()
	defer i.mu.Unlock()
	files = i.left[address]
	delete(i.left, address)
	return files
}

// served tells the old process when all addresses are served.
func (i *inheritance) served() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.unmet--; i.unmet == 0 {
		_, _ = i.parent.Write([]byte{1}) // the old process may have given up
		i.parent.Close()
	}
}

// unfinished reports whether the process before waits for addresses to be served.
func (i *inheritance) unfinished() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.unmet > 0
}

// listenStd opens or inherits the socket of an address for net/http. config is
// nil without TLS.
func (a *App) listenStd(address string, config *tls.Config) error {
	ln, claimed, err := openOrInherit(a, address)
	if err != nil {
		return err
	}
	a.hold(address, func() ([]*os.File, error) {
		f, err := ln.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return nil, err
		}
		return []*os.File{f}, nil
	})
	if claimed {
		inherited().served()
	}
	defer a.unlink(address)
	if config == nil {
		return a.std.serve(a, ln, nil)
	}
	return a.serveTLS(ln, config)
}

func openOrInherit(a *App, address string) (ln net.Listener, claimed bool, err error) {
	if files := inherited().claim(address); len(files) > 0 {
		for _, f := range files[1:] {
			f.Close() // of more loops than there are now
		}
		ln, err := net.FileListener(files[0])
		return ln, true, errors.Join(err, files[0].Close())
	}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		ln, err := listenUnix(path, a.config.UnixMode)
		return ln, false, err
	}
	ln, err = net.Listen("tcp", address)
	return ln, false, err
}

// unlink removes the file of a unix socket, unless another process has it now.
func (a *App) unlink(address string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok && hasFile(path) && !a.filesKept() {
		os.Remove(path)
	}
}

// hasFile reports whether a unix socket of the name has a file: Linux has a name
// space of its own for those that begin with "@", where a file may be anybody's.
func hasFile(path string) bool { return path != "" && path[0] != '@' }
