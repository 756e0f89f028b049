package probe

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// socketsProbe asks the kernel what waits in the sockets of a port.
type socketsProbe struct {
	port int
	fd   int
	buf  []byte
}

func newSockets(port int) (*socketsProbe, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return nil, fmt.Errorf("asking the kernel for sockets: %w", err)
	}
	return &socketsProbe{port: port, fd: fd, buf: make([]byte, 64<<10)}, nil
}

func (p *socketsProbe) close() { unix.Close(p.fd) }

// read lists those of both families.
func (p *socketsProbe) read() (s Sockets, err error) {
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		if err := unix.Sendto(p.fd, diagDump(family, p.port), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
			return s, fmt.Errorf("asking the kernel for sockets: %w", err)
		}
		for done := false; !done; {
			n, _, err := unix.Recvfrom(p.fd, p.buf, 0)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return s, fmt.Errorf("reading sockets: %w", err)
			}
			if done, err = s.add(p.buf[:n]); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}
