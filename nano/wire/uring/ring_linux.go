package uring

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From include/uapi/linux/io_uring.h.
const (
	setupCQSize       = 1 << 3
	setupSubmitAll    = 1 << 7
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3

	featSingleMmap = 1 << 0
	featExtArg     = 1 << 8

	offSQRing = 0
	offSQEs   = 0x10000000
)

// params is struct io_uring_params.
type params struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	resv                                                                   [3]uint32
	sqOff                                                                  struct {
		head, tail, ringMask, ringEntries, flags, dropped, array, resv1 uint32
		userAddr                                                        uint64
	}
	cqOff struct {
		head, tail, ringMask, ringEntries, overflow, cqes, flags, resv1 uint32
		userAddr                                                        uint64
	}
}

// Completion is struct io_uring_cqe: the result of one operation.
type Completion struct {
	UserData uint64
	Result   int32 // as a system call returns it: negative is an errno
	Flags    uint32
}

// Flags of a [Completion].
const (
	HasBuffer = 1 << 0 // the upper 16 bits of Flags name the buffer that was filled
	More      = 1 << 1 // the operation goes on: more completions will come of it
)

// Buffer is the number of the buffer that was filled, if Flags has HasBuffer.
func (c *Completion) Buffer() uint16 { return uint16(c.Flags >> 16) }

// Errno returns the failure, or 0.
func (c *Completion) Errno() unix.Errno {
	if c.Result < 0 {
		return unix.Errno(-c.Result)
	}
	return 0
}

// Ring is a pair of queues. It is not safe for use by several goroutines, and
// its goroutine must be locked to its thread.
type Ring struct {
	// GiveProcessor makes calls give the Go scheduler's processor (its P) away
	// while they last, as other system calls do. That takes longer, and whoever
	// wants to stop the world need not wait for them.
	GiveProcessor bool

	fd   int
	mem  []byte // both rings
	sqes []byte

	sqHead, sqTail *atomic.Uint32
	sqMask         uint32
	entries        []entry
	tail           uint32 // of the submission queue, not all of it published
	submitted      uint32 // up to here the kernel has taken it

	cqHead, cqTail *atomic.Uint32
	cqMask         uint32
	completions    []Completion

	arg     getEventsArg
	timeout unix.Timespec
	pinner  runtime.Pinner
}

// getEventsArg is struct io_uring_getevents_arg.
type getEventsArg struct {
	sigmask   uint64
	sigmaskSz uint32
	pad       uint32
	ts        uint64
}

// MostCompletions is how many results a ring has room for at most
// (IORING_MAX_CQ_ENTRIES).
const MostCompletions = 65536

// Open makes a ring with room for entries operations in one hand-over and
// completions results at a time, at most [MostCompletions]. Both are rounded up to
// powers of two. Results that find no room are not lost: the kernel hands them over
// as others are taken.
func Open(entries, completions uint32) (*Ring, error) {
	p := params{flags: setupCQSize | setupSubmitAll | setupSingleIssuer | setupDeferTaskrun, cqEntries: completions}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(&p)), 0)
	switch errno {
	case 0:
	case unix.ENOSYS, unix.EPERM, unix.EINVAL, unix.EACCES:
		return nil, fmt.Errorf("io_uring: %w: %w", errors.ErrUnsupported, errno)
	default:
		return nil, fmt.Errorf("io_uring: %w", errno)
	}
	unix.CloseOnExec(int(fd))
	r := &Ring{fd: int(fd)}
	if err := r.mmap(&p); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Ring) mmap(p *params) (err error) {
	if p.features&featSingleMmap == 0 || p.features&featExtArg == 0 {
		return fmt.Errorf("io_uring: %w: the kernel is older than 5.11", errors.ErrUnsupported)
	}
	size := max(int(p.sqOff.array+p.sqEntries*4), int(p.cqOff.cqes)+int(p.cqEntries)*int(unsafe.Sizeof(Completion{})))
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	if r.mem, err = unix.Mmap(r.fd, offSQRing, size, prot, flags); err != nil {
		return fmt.Errorf("io_uring: mapping the queues: %w", err)
	}
	if r.sqes, err = unix.Mmap(r.fd, offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(entry{})), prot, flags); err != nil {
		return fmt.Errorf("io_uring: mapping the entries: %w", err)
	}
	at := func(off uint32) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&r.mem[off])) }
	r.sqHead, r.sqTail, r.sqMask = at(p.sqOff.head), at(p.sqOff.tail), p.sqEntries-1
	r.cqHead, r.cqTail, r.cqMask = at(p.cqOff.head), at(p.cqOff.tail), p.cqEntries-1
	r.entries = unsafe.Slice((*entry)(unsafe.Pointer(&r.sqes[0])), p.sqEntries)
	r.completions = unsafe.Slice((*Completion)(unsafe.Pointer(&r.mem[p.cqOff.cqes])), p.cqEntries)
	array := unsafe.Slice((*uint32)(unsafe.Pointer(&r.mem[p.sqOff.array])), p.sqEntries)
	for i := range array {
		array[i] = uint32(i) // entries are used in the order of the ring
	}
	r.tail = r.sqTail.Load()
	r.submitted = r.tail
	// The kernel reads both while we wait; they must not move.
	r.pinner.Pin(r)
	r.arg.ts = uint64(uintptr(unsafe.Pointer(&r.timeout)))
	return nil
}

// Close releases the ring. Operations under way are cancelled by the kernel.
func (r *Ring) Close() {
	if r.sqes != nil {
		unix.Munmap(r.sqes)
	}
	if r.mem != nil {
		unix.Munmap(r.mem)
	}
	unix.Close(r.fd)
	r.pinner.Unpin()
}

// Pending is the number of operations that are queued and not handed over yet.
func (r *Ring) Pending() int { return int(r.tail - r.submitted) }

// Enter hands over what is queued and waits at most d for a completion; d <= 0
// only works off what is there. Unless [Ring.GiveProcessor] is set it keeps the Go
// scheduler's processor while it waits: see reactor.Poller.KeepProcessor. An interruption by a signal is no
// error.
func (r *Ring) Enter(d time.Duration) error {
	if d > 0 && r.Ready() == 0 {
		return r.enter(1, d)
	}
	return r.enter(0, 0)
}

// Pause hands over what is queued and comes back after d, whatever completes
// meanwhile.
func (r *Ring) Pause(d time.Duration) error {
	const never = 1 << 20 // more than there can be
	return r.enter(never, d)
}

// enter waits for so many completions, at most d.
func (r *Ring) enter(completions uintptr, d time.Duration) error {
	r.sqTail.Store(r.tail)
	r.timeout = unix.NsecToTimespec(int64(d))
	syscall := unix.RawSyscall6
	if r.GiveProcessor {
		syscall = unix.Syscall6
	}
	n, _, errno := syscall(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(r.tail-r.submitted), completions,
		enterGetEvents|enterExtArg, uintptr(unsafe.Pointer(&r.arg)), unsafe.Sizeof(r.arg))
	switch errno {
	case 0:
		r.submitted += uint32(n)
	case unix.ETIME, unix.EINTR:
		// With entries to hand over, their number is returned instead.
	case unix.EAGAIN, unix.EBUSY:
		// No memory for a request, or completions must be taken first: what is
		// queued stays so.
	default:
		return fmt.Errorf("io_uring: waiting: %w", errno)
	}
	return nil
}

// Ready is the number of completions that can be taken.
func (r *Ring) Ready() int { return int(r.cqTail.Load() - r.cqHead.Load()) }

// Take returns the oldest completion. It is overwritten after the next call.
// There must be one.
func (r *Ring) Take() Completion {
	head := r.cqHead.Load()
	c := r.completions[head&r.cqMask]
	r.cqHead.Store(head + 1)
	return c
}
