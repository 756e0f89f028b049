package uring

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// entry is struct io_uring_sqe.
type entry struct {
	opcode    uint8
	flags     uint8
	ioprio    uint16
	fd        int32
	off       uint64
	addr      uint64
	len       uint32
	opFlags   uint32
	userData  uint64
	bufGroup  uint16
	pers      uint16
	fileIndex uint32
	addr3     uint64
	pad       uint64
}

// Operations.
const (
	opPollAdd     = 6
	opAsyncCancel = 14
	opClose       = 19
	opSend        = 26
	opRecv        = 27
)

const (
	ioHardLink     = 1 << 3 // the next operation begins when this one has ended, however it did
	ioBufferSelect = 1 << 5
	ioSkipSuccess  = 1 << 6
	recvMultishot  = 1 << 1
	cancelAll      = 1 << 0
	cancelByFile   = 1 << 1
)

// next returns a cleared entry, handing over what is queued if there is no room.
func (r *Ring) next() *entry {
	for r.tail-r.sqHead.Load() > r.sqMask {
		if r.Enter(0) != nil {
			break
		}
	}
	e := &r.entries[r.tail&r.sqMask]
	*e = entry{}
	r.tail++
	return e
}

// Receive queues reads from a socket into buffers of the ring's group, one
// completion each, until it fails, the stream ends or the buffers run out (then
// the completion lacks More). Without repeat there is one read only.
func (r *Ring) Receive(fd int32, userData uint64, repeat bool) {
	e := r.next()
	e.opcode, e.fd, e.userData, e.flags = opRecv, fd, userData, ioBufferSelect
	if repeat {
		e.ioprio = recvMultishot
	}
}

// Send queues a send of all of b, which must not change until its completion.
// If quiet, only a failure completes.
func (r *Ring) Send(fd int32, b []byte, userData uint64, quiet bool) {
	e := r.next()
	e.opcode, e.fd, e.userData = opSend, fd, userData
	e.addr, e.len = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(len(b))
	e.opFlags = unix.MSG_NOSIGNAL | unix.MSG_WAITALL
	if quiet {
		e.flags = ioSkipSuccess
	}
}

// AwaitWritable queues one completion for when fd becomes writable or fails.
func (r *Ring) AwaitWritable(fd int32, userData uint64) {
	e := r.next()
	e.opcode, e.fd, e.userData, e.opFlags = opPollAdd, fd, userData, unix.POLLOUT
}

// CloseFile queues the closing of fd, which has no operation under way, and one
// completion when it is done.
func (r *Ring) CloseFile(fd int32, userData uint64) {
	e := r.next()
	e.opcode, e.fd, e.userData = opClose, fd, userData
}

// CloseCancelled queues the end of all operations on fd and then its closing,
// which completes once. A socket with a read under way would otherwise stay
// open. Should there be nothing to cancel, that completes with cancelData.
func (r *Ring) CloseCancelled(fd int32, userData, cancelData uint64) {
	e := r.next()
	e.opcode, e.fd, e.userData = opAsyncCancel, fd, cancelData
	e.opFlags = cancelAll | cancelByFile
	e.flags = ioSkipSuccess | ioHardLink
	r.CloseFile(fd, userData)
}
