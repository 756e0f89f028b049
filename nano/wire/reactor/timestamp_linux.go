package reactor

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Timestamps asks the kernel to note for each read from a socket when the last
// segment in it was received, in software, before TCP looks at it
// (SO_TIMESTAMPING, Documentation/networking/timestamping.rst). The first
// segments after the machine's first such request may come without.
func Timestamps(fd int) error {
	const flags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags); err != nil {
		return fmt.Errorf("asking for receive timestamps: %w", err)
	}
	return nil
}

// Receiver reads from non-blocking sockets together with the time at which the
// kernel received the data. It is made once per loop and belongs to it: reading
// allocates nothing. Don't copy it.
type Receiver struct {
	header  unix.Msghdr
	iov     unix.Iovec
	control [128]byte // room for one SCM_TIMESTAMPING, and some that were not asked for
}

// NewReceiver makes a receiver.
func NewReceiver() *Receiver { return new(Receiver) }

// Read reads as [Read] does. received is the kernel's timestamp in ns of
// CLOCK_REALTIME, 0 if there is none; a [WallClock] tells what that is in
// CLOCK_MONOTONIC.
func (r *Receiver) Read(fd int, b []byte) (n int, received int64, errno unix.Errno) {
	r.iov.Base = unsafe.SliceData(b)
	r.iov.SetLen(len(b))
	r.header = unix.Msghdr{Iov: &r.iov, Control: &r.control[0]}
	r.header.SetIovlen(1)
	r.header.SetControllen(len(r.control))
	got, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.header)), 0)
	r.iov.Base = nil // the buffer is the caller's again
	if errno != 0 {
		return 0, 0, errno
	}
	return int(got), receivedAt(r.control[:min(uint64(r.header.Controllen), uint64(len(r.control)))]), 0
}

// receivedAt finds the software timestamp among control messages (cmsg(3)): the
// first of SCM_TIMESTAMPING's three times, or that of SCM_TIMESTAMPNS. It
// returns ns, or 0 if there is none.
func receivedAt(control []byte) int64 {
	const head = unix.SizeofCmsghdr
	for len(control) >= head {
		var h unix.Cmsghdr
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), head), control)
		length := uint64(h.Len)
		if length < head || length > uint64(len(control)) {
			return 0 // cut off
		}
		stamp := h.Type == unix.SCM_TIMESTAMPING || h.Type == unix.SCM_TIMESTAMPNS
		if h.Level == unix.SOL_SOCKET && stamp && int(length) >= head+sizeofTimespec {
			var ts unix.Timespec
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&ts)), sizeofTimespec), control[head:])
			return ts.Nano()
		}
		control = control[min(aligned(length), uint64(len(control))):]
	}
	return 0
}

const sizeofTimespec = int(unsafe.Sizeof(unix.Timespec{}))

// aligned rounds a message's length up to where the next one begins.
func aligned(length uint64) uint64 {
	const word = uint64(unsafe.Sizeof(uintptr(0)))
	return (length + word - 1) &^ (word - 1)
}

// WallClock relates CLOCK_REALTIME, in which the kernel stamps, to
// CLOCK_MONOTONIC. NTP slews both alike (clock_gettime(2)), so it holds until
// the wall clock is set: take a new one every second or so.
type WallClock struct {
	ahead int64 // of CLOCK_MONOTONIC, ns
	bound int64 // by which ahead may be wrong, ns
}

// ReadWallClock compares the clocks. Of several readings it takes the one that
// was least disturbed.
func ReadWallClock() WallClock {
	best := WallClock{bound: 1<<63 - 1}
	for range 8 {
		var before, wall, after unix.Timespec
		if unix.ClockGettime(unix.CLOCK_MONOTONIC, &before) != nil || unix.ClockGettime(unix.CLOCK_REALTIME, &wall) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &after) != nil {
			continue
		}
		half := (after.Nano() - before.Nano() + 1) / 2
		if half < best.bound {
			best = WallClock{ahead: wall.Nano() - before.Nano() - half, bound: half}
		}
	}
	return best
}

// Monotonic returns the instant of CLOCK_MONOTONIC, in ns, at which
// CLOCK_REALTIME was at the given one. It may be wrong by Bound.
func (w WallClock) Monotonic(wall int64) int64 { return wall - w.ahead }

// Bound is how far Monotonic may be off while the wall clock is not set: half
// the time that reading both clocks took.
func (w WallClock) Bound() time.Duration { return time.Duration(w.bound) }
