//go:build linux

package main

import (
	"bytes"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// loopEach is of how many requests one holds up the loop: so few that most of the slow ones
// are those behind it.
const loopEach = 300

// oneLoop serves with a single thread and epoll, as event loops do. One request of
// loopEach computes for 60 ms, and all that come meanwhile wait for the loop.
func oneLoop(ln *net.TCPListener) error {
	runtime.LockOSThread()
	file, err := ln.File()
	if err != nil {
		return err
	}
	listener := int(file.Fd())
	unix.SetNonblock(listener, true)
	poll, err := unix.EpollCreate1(0)
	if err != nil {
		return err
	}
	watch := func(fd int) error {
		return unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	}
	if err := watch(listener); err != nil {
		return err
	}
	events := make([]unix.EpollEvent, 64)
	buffer := make([]byte, 16<<10)
	response := []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	for count := 0; ; {
		n, err := unix.EpollWait(poll, events, -1)
		if err != nil && err != unix.EINTR {
			return err
		}
		for _, e := range events[:max(n, 0)] {
			fd := int(e.Fd)
			if fd == listener {
				for {
					c, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK)
					if err != nil {
						break
					}
					watch(c)
				}
				continue
			}
			n, err := unix.Read(fd, buffer)
			if n <= 0 {
				if err != unix.EAGAIN {
					unix.Close(fd)
				}
				continue
			}
			for range bytes.Count(buffer[:n], []byte("\r\n\r\n")) {
				if count++; count%loopEach == 0 {
					compute(60 * time.Millisecond)
				}
				unix.Write(fd, response)
			}
		}
	}
}
