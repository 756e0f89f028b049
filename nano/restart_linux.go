package nano

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// holdSockets notes the sockets of an address. The loops close them when the app
// drains; until then duplicates can be made.
func (a *App) holdSockets(address string, fds []int) {
	fds = append([]int(nil), fds...)
	a.hold(address, func() (files []*os.File, err error) {
		if a.server.draining.Load() {
			return nil, ErrServerClosed
		}
		for _, fd := range fds {
			other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
			if err != nil {
				return files, err
			}
			files = append(files, os.NewFile(uintptr(other), address))
		}
		return files, nil
	})
}

// listenInherited serves on the sockets of the process before. If there are more
// loops than sockets, some share one.
func (a *App) listenInherited(s *server, address string, files []*os.File) error {
	fds := make([]int, 0, max(len(files), len(s.loops)))
	for i := range cap(fds) {
		fd, err := descriptor(files[i%len(files)])
		if err != nil {
			closeAll(fds)
			return err
		}
		fds = append(fds, fd)
	}
	for _, f := range files {
		f.Close()
	}
	a.holdSockets(address, fds[:len(files)])
	path, isUnix := strings.CutPrefix(address, "unix:")
	if isUnix {
		s.removeAtEnd(path)
	}
	inherited().served()
	return s.serve(fds, !isUnix)
}

// removeAtEnd has a unix socket's file removed when the app has ended.
func (s *server) removeAtEnd(path string) {
	if !hasFile(path) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = append(s.sockets, path)
}
