package link

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Open is a link that is up. The zero value is none.
type Open struct {
	// Address is the subject's, for dyno. What is sent to it arrives at 127.0.0.1, where
	// subjects listen.
	Address netip.Addr
	near    *device // dyno's end
	far     *device // the subject's end
	home    int     // descriptor of dyno's namespace
	stop    int     // descriptor of an event that ends the relay
	up      int64   // since when the relay passes packets, CLOCK_MONOTONIC in ns
	relays  chan struct{}
}

// Enter makes a link and leaves the calling thread in the namespace at its far end, where
// processes that it forks stay. The goroutine must be locked to its thread; Leave takes
// the thread back. The caller must call Close when the subject has ended. It takes root:
// CAP_NET_ADMIN and CAP_SYS_ADMIN.
func Enter(l Link) (*Open, error) {
	o := &Open{home: -1, stop: -1, relays: make(chan struct{}, 2)}
	err := o.enter(l)
	if err != nil {
		o.Leave()
		o.Close()
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			err = fmt.Errorf("%w (a network for a subject takes root)", err)
		}
		return nil, err
	}
	return o, nil
}

func (o *Open) enter(l Link) error {
	var err error
	if o.home, err = unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("open this network namespace: %w", err)
	}
	if o.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	// The kernel gives the device the first free number, and with it the addresses: nobody
	// else has them for as long as the device is there.
	if o.near, err = openDevice("dyno%d"); err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimPrefix(o.near.name, "dyno"))
	if err != nil {
		return fmt.Errorf("a device called %s: %w", o.near.name, err)
	}
	here, there, err := addresses(n)
	if err != nil {
		return err
	}
	if err := o.near.up(here, there, l.mtu()); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network namespace: %w", err)
	}
	if o.far, err = openDevice("dyno%d"); err != nil {
		return err
	}
	if err := o.far.up(there, here, l.mtu()); err != nil {
		return err
	}
	if err := setUp("lo"); err != nil {
		return err
	}
	if err := set("conf/"+o.far.name+"/route_localnet", "1"); err != nil {
		return err
	}
	// Servers may accept TCP Fast Open (RFC 7413) if they ask for it; in a new namespace
	// it is on for clients alone. Kernels can be built without it.
	if err := set("tcp_fastopen", "3"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	o.Address, o.up = there, now()
	go o.relay(o.near, o.far, l, func(packet []byte) { translate(packet, destinationAt, there, loopback) })
	go o.relay(o.far, o.near, l, func(packet []byte) { translate(packet, sourceAt, loopback, there) })
	return nil
}

// addresses are the two of the n-th link, out of the block that RFC 2544 reserves for
// measurements of networks: 198.18.0.0/15.
func addresses(n int) (here, there netip.Addr, err error) {
	const links = 1 << 15
	if n < 0 || n >= links {
		return here, there, fmt.Errorf("there are %d links already", links)
	}
	at := uint32(198)<<24 | 18<<16 | uint32(n)<<2
	of := func(x uint32) netip.Addr {
		return netip.AddrFrom4([4]byte{byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)})
	}
	return of(at + 1), of(at + 2), nil
}

// set sets a parameter of IPv4 of the thread's namespace, which is the one that /proc/sys/net
// shows it.
func set(name, value string) error {
	if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644); err != nil {
		return fmt.Errorf("set up the subject's network: %w", err)
	}
	return nil
}

// Leave takes the calling thread, which has called Enter, back to dyno's namespace.
func (o *Open) Leave() error {
	if o == nil || o.home < 0 {
		return nil
	}
	if err := unix.Setns(o.home, unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("return to the network namespace: %w", err)
	}
	return nil
}

// Close ends the link and waits until its relay has ended.
func (o *Open) Close() {
	if o == nil {
		return
	}
	if o.Address.IsValid() {
		_, _ = unix.Write(o.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		<-o.relays
		<-o.relays
	}
	o.near.close()
	o.far.close()
	for _, fd := range []int{o.home, o.stop} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	o.home, o.stop = -1, -1
}
