package handoff

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// Activated is a listening socket that systemd has opened.
type Activated struct {
	Name     string // FileDescriptorName= of the socket unit; "" if it gave none
	Listener net.Listener
}

// firstActivated is the first descriptor of socket activation (sd_listen_fds(3)).
const firstActivated = 3

// Activation returns the sockets of systemd's socket activation, in the order of the
// unit; none if the process wasn't started that way. The variables that name them are
// unset, so that neither a second call nor children see them.
func Activation() ([]Activated, error) {
	pid, count, names := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), os.Getenv("LISTEN_FDNAMES")
	os.Unsetenv("LISTEN_PID")
	os.Unsetenv("LISTEN_FDS")
	os.Unsetenv("LISTEN_FDNAMES")
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > 1024 {
		return nil, fmt.Errorf("nano: LISTEN_FDS=%q: a number of sockets is wanted", count)
	}
	name := strings.Split(names, ":")
	var listeners []Activated
	for i := range n {
		a := Activated{}
		if i < len(name) {
			a.Name = name[i]
		}
		f := inheritedFile(firstActivated+i, "activation socket "+a.Name)
		a.Listener, err = net.FileListener(f)
		if err = errors.Join(err, f.Close()); err != nil {
			for _, l := range listeners {
				l.Listener.Close()
			}
			return nil, fmt.Errorf("nano: socket %d of activation (%q): %w", i, a.Name, err)
		}
		listeners = append(listeners, a)
	}
	return listeners, nil
}

// inheritedFile makes a file of a descriptor the process was started with, and
// keeps it from children.
func inheritedFile(fd int, name string) *os.File {
	closeOnExec(fd)
	return os.NewFile(uintptr(fd), name)
}

// Notify sends systemd the service's state, such as "READY=1", "RELOADING=1",
// "STOPPING=1" (sd_notify(3)). sent is false if NOTIFY_SOCKET isn't set.
func Notify(state string) (sent bool, err error) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return false, nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Net: "unixgram", Name: path})
	if err != nil {
		return false, fmt.Errorf("nano: notifying systemd: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(state)); err != nil {
		return false, fmt.Errorf("nano: notifying systemd: %w", err)
	}
	return true, nil
}
