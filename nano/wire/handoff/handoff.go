// Package handoff gives the listening sockets of a process to the one that takes its
// place, and takes those that systemd or the process before has opened. It knows
// descriptors, not what is served on them.
package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
)

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

// Listeners are those of one app. The zero value has none.
type Listeners struct {
	mu    sync.Mutex
	all   []listener
	given bool // unix sockets' files are the new process' now
}

// listener is one that can be handed over.
type listener struct {
	address string
	files   func() ([]*os.File, error) // duplicates of its sockets; nil: it can't be handed over
}

// Hold notes the listener of an address. files returns duplicates of its sockets,
// which are the caller's; nil says that it can't be handed over.
func (l *Listeners) Hold(address string, files func() ([]*os.File, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, listener{address, files})
}

// Give leaves the files of unix sockets where they are: the new process has them.
func (l *Listeners) Give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given = true
}

// Given reports whether the files of unix sockets are another process': the next
// one's, or still those of the one before, which goes on if we end early.
func (l *Listeners) Given() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.given || inherited().unfinished()
}

// Process is the one that takes over.
type Process struct {
	cmd   *exec.Cmd
	ready *os.File
}

// Start starts the program's file, as it is now, with the same arguments, and gives it
// the sockets of all listeners.
func Start(all []*Listeners) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ready, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	list, files, err := sockets(all)
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
	return &Process{cmd, ready}, nil
}

// sockets returns duplicates of all listening sockets.
func sockets(all []*Listeners) (list []handed, files []*os.File, err error) {
	for _, l := range all {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, h := range l.all {
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

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Wait waits until the new process serves on all sockets. If it doesn't before ctx
// ends, it is stopped, and Wait returns an error.
func (p *Process) Wait(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	said := make(chan error, 1)
	go func() {
		_, err := p.ready.Read(make([]byte, 1))
		said <- errors.Join(err, p.ready.Close())
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
	_ = p.cmd.Process.Kill() // it may have ended already
	return errors.Join(err, <-ended)
}

// inheritance is what the process was started with by Restart. Descriptors are
// the process' own, so there is one for all apps.
type inheritance struct {
	mu     sync.Mutex
	left   map[string][]*os.File // by address, until an app serves on it
	unmet  int                   // addresses that aren't served on yet
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

// Claim takes the sockets of an address that the process before has given; none if
// there are none. [Served] must be called when they are listened to.
func Claim(address string) (files []*os.File) {
	i := inherited()
	i.mu.Lock()
	defer i.mu.Unlock()
	files = i.left[address]
	delete(i.left, address)
	return files
}

// Unclaimed are the addresses that the previous process has handed over and no listener
// has claimed.
func Unclaimed() []string {
	i := inherited()
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Collect(maps.Keys(i.left))
}

// Served notes that an address is served, and notifies the old process when all are.
func Served() {
	i := inherited()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.unmet--; i.unmet == 0 {
		_, _ = i.parent.Write([]byte{1}) // the old process may have given up
		i.parent.Close()
	}
}

// Settle closes the sockets that no listener has claimed, such as those of addresses
// that are no longer in the configuration: the old process doesn't wait for them.
func Settle() {
	i := inherited()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.unmet == 0 {
		return
	}
	for address, files := range i.left {
		for _, f := range files {
			f.Close()
		}
		delete(i.left, address)
		i.unmet--
	}
	if i.unmet == 0 {
		_, _ = i.parent.Write([]byte{1}) // as in Served
		i.parent.Close()
	}
}

// unfinished reports whether the process before waits for addresses to be served.
func (i *inheritance) unfinished() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.unmet > 0
}
