package link

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// queueLength is how many packets a device holds until the relay reads them: enough for what
// some thousand connections send at once.
const queueLength = 16384

// device is a TUN device, which passes packets of IP without a head of its own.
type device struct {
	fd   int
	name string
}

// openDevice makes a device in the thread's namespace. It is gone when fd is closed.
func openDevice(pattern string) (*device, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	r, err := unix.NewIfreq(pattern)
	if err == nil {
		r.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, r)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("make a TUN device: %w", err)
	}
	return &device{fd: fd, name: r.Name()}, nil
}

func (d *device) close() {
	if d != nil {
		unix.Close(d.fd)
	}
}

// up gives the device its two ends and its MTU and switches it on, in the thread's namespace.
func (d *device) up(own, peer netip.Addr, mtu int) error {
	return configure(d.name, func(s int, r *unix.Ifreq) error {
		for _, set := range []struct {
			request uint
			address netip.Addr
		}{{unix.SIOCSIFADDR, own}, {unix.SIOCSIFDSTADDR, peer}} {
			bytes := set.address.As4()
			if err := r.SetInet4Addr(bytes[:]); err != nil {
				return err
			}
			if err := unix.IoctlIfreq(s, set.request, r); err != nil {
				return fmt.Errorf("give it the address %s: %w", set.address, err)
			}
		}
		r.SetUint32(uint32(mtu))
		if err := unix.IoctlIfreq(s, unix.SIOCSIFMTU, r); err != nil {
			return fmt.Errorf("give it an MTU of %d: %w", mtu, err)
		}
		r.SetUint32(queueLength)
		if err := unix.IoctlIfreq(s, unix.SIOCSIFTXQLEN, r); err != nil {
			return fmt.Errorf("give it a queue of %d packets: %w", queueLength, err)
		}
		return switchOn(s, r)
	})
}

// setUp switches an interface of the thread's namespace on.
func setUp(name string) error { return configure(name, switchOn) }

// configure calls do with a socket that configures the interface, and a request that names it.
func configure(name string, do func(socket int, r *unix.Ifreq) error) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	r, err := unix.NewIfreq(name)
	if err == nil {
		err = do(s, r)
	}
	if err != nil {
		return fmt.Errorf("configure %s: %w", name, err)
	}
	return nil
}

func switchOn(s int, r *unix.Ifreq) error {
	if err := unix.IoctlIfreq(s, unix.SIOCGIFFLAGS, r); err != nil {
		return err
	}
	r.SetUint16(r.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, r)
}
