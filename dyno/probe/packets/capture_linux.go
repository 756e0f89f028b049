package packets

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// How packets are taken.
const (
	longest = 128     // bytes of a packet that are looked at: headers have 120 at most
	buffer  = 8 << 20 // bytes that wait in the kernel
	look    = 100 * time.Millisecond
)

// Capture captures until it is stopped, or has [Most] packets.
type Capture struct {
	fd       int
	loopback int
	stop     chan struct{}
	ended    sync.WaitGroup
	packets  []Packet
	failed   error
}

// Start captures packets from and to a TCP port on all interfaces. It takes CAP_NET_RAW.
func Start(port int) (*Capture, error) {
	// Nothing comes before the filter is there.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("capturing packets (which takes root, or CAP_NET_RAW): %w", err)
	}
	c := &Capture{fd: fd, stop: make(chan struct{})}
	if lo, err := net.InterfaceByName("lo"); err == nil {
		c.loopback = lo.Index
	}
	if err := c.prepare(port); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("capturing packets: %w", err)
	}
	c.ended.Go(c.run)
	return c, nil
}

// prepare sets the filter, the buffer and the clock, and begins.
func (c *Capture) prepare(port int) error {
	raw, err := bpf.Assemble(filter(uint32(port)))
	if err != nil {
		return err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		program[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	err = unix.SetsockoptSockFprog(c.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	if err != nil {
		return err
	}
	_ = unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, buffer) // with less, packets are reported as lost
	wait := unix.NsecToTimeval(int64(look))
	return errors.Join(
		unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait),
		unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.Bind(c.fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL)}),
	)
}

func networkOrder(n uint16) uint16 { return n<<8 | n>>8 }

// filter lets TCP packets of a port through, of packets that begin with IP.
func filter(port uint32) []bpf.Instruction {
	const refuse, accept = 0, longest
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: 0, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x60, SkipTrue: 8},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x40, SkipTrue: 13},
		bpf.LoadAbsolute{Off: 9, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tcp, SkipTrue: 11},
		bpf.LoadMemShift{Off: 0},
		bpf.LoadIndirect{Off: 0, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: port, SkipTrue: 9},
		bpf.LoadIndirect{Off: 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: port, SkipTrue: 7, SkipFalse: 6},
		// IPv6
		bpf.LoadAbsolute{Off: 6, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tcp, SkipTrue: 4},
		bpf.LoadAbsolute{Off: headerIPv6, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: port, SkipTrue: 3},
		bpf.LoadAbsolute{Off: headerIPv6 + 2, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: port, SkipTrue: 1},
		bpf.RetConstant{Val: refuse},
		bpf.RetConstant{Val: accept},
	}
}

func (c *Capture) run() {
	data, control := make([]byte, longest), make([]byte, 128)
	flags := 0
	for len(c.packets) < Most {
		select {
		case <-c.stop:
			flags = unix.MSG_DONTWAIT // only what is there
		default:
		}
		n, size, _, from, err := unix.Recvmsg(c.fd, data, control, flags)
		switch {
		case errors.Is(err, unix.EAGAIN) && flags != 0:
			return
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			c.failed = err
			return
		}
		link, ok := from.(*unix.SockaddrLinklayer)
		// On the loopback each packet is there twice, when it is sent and when it comes.
		if !ok || link.Pkttype == unix.PACKET_OUTGOING && link.Ifindex == c.loopback {
			continue
		}
		kept := headers(data[:n])
		if kept == 0 {
			continue
		}
		c.packets = append(c.packets, Packet{At: stamp(control[:size]), Length: length(data), Headers: append([]byte(nil), data[:kept]...)})
	}
}

// stamp is when the kernel got a packet; now if it doesn't say.
func stamp(control []byte) int64 {
	messages, err := unix.ParseSocketControlMessage(control)
	if err == nil {
		for _, m := range messages {
			if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
				return (*unix.Timespec)(unsafe.Pointer(&m.Data[0])).Nano()
			}
		}
	}
	return time.Now().UnixNano()
}

// Stop ends the capture: the packets, how many more the kernel had no room for, and whether
// there were more than [Most].
func (c *Capture) Stop() (packets []Packet, lost int, full bool, err error) {
	close(c.stop)
	c.ended.Wait()
	if stats, err := unix.GetsockoptTpacketStats(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		lost = int(stats.Drops)
	}
	unix.Close(c.fd)
	return c.packets, lost, len(c.packets) == Most, c.failed
}
