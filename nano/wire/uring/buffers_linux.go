package uring

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const registerBufferRing = 22

// Buffers is a group of equal buffers that the kernel fills as data comes, in a
// ring shared with it (IORING_REGISTER_PBUF_RING, Linux 5.19).
type Buffers struct {
	ring []byte // of struct io_uring_buf
	mem  []byte
	size int
	mask uint16
	tail uint16
}

// bufferReg is struct io_uring_buf_reg.
type bufferReg struct {
	ringAddr    uint64
	ringEntries uint32
	bgid        uint16
	flags       uint16
	resv        [3]uint64
}

// buffer is struct io_uring_buf. The first one's resv holds the ring's tail.
type buffer struct {
	addr uint64
	len  uint32
	bid  uint16
	resv uint16
}

// Buffers gives the ring its group of buffers: count (a power of two, at most
// 32768) of so many bytes each. They live until the ring is closed.
func (r *Ring) Buffers(count, size int) (*Buffers, error) {
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_ANON | unix.MAP_PRIVATE
	ring, err := unix.Mmap(-1, 0, count*int(unsafe.Sizeof(buffer{})), prot, flags)
	if err != nil {
		return nil, fmt.Errorf("io_uring: memory for buffers: %w", err)
	}
	mem, err := unix.Mmap(-1, 0, count*size, prot, flags)
	if err != nil {
		unix.Munmap(ring)
		return nil, fmt.Errorf("io_uring: memory for buffers: %w", err)
	}
	b := &Buffers{ring: ring, mem: mem, size: size, mask: uint16(count - 1)}
	reg := bufferReg{ringAddr: uint64(uintptr(unsafe.Pointer(&ring[0]))), ringEntries: uint32(count)}
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), registerBufferRing, uintptr(unsafe.Pointer(&reg)), 1, 0, 0); errno != 0 {
		b.Close()
		return nil, fmt.Errorf("io_uring: registering buffers: %w", errno)
	}
	for i := range count {
		b.put(uint16(i))
	}
	b.publish()
	return b, nil
}

// Close releases the memory. The ring must have been closed before.
func (b *Buffers) Close() {
	unix.Munmap(b.ring)
	unix.Munmap(b.mem)
}

// Bytes returns the first n bytes of a buffer. They are valid until Return.
func (b *Buffers) Bytes(id uint16, n int) []byte {
	from := int(id) * b.size
	return b.mem[from : from+n : from+b.size]
}

// Return gives a buffer back to the kernel.
func (b *Buffers) Return(id uint16) {
	b.put(id)
	b.publish()
}

func (b *Buffers) put(id uint16) {
	slot := (*buffer)(unsafe.Pointer(&b.ring[int(b.tail&b.mask)*int(unsafe.Sizeof(buffer{}))]))
	slot.addr = uint64(uintptr(unsafe.Pointer(&b.mem[int(id)*b.size])))
	slot.len, slot.bid = uint32(b.size), id
	b.tail++
}

// publish makes the tail visible. It shares a word with the last buffer number
// of the first slot, so both are written at once.
func (b *Buffers) publish() {
	first := (*buffer)(unsafe.Pointer(&b.ring[0]))
	word := (*atomic.Uint32)(unsafe.Pointer(&first.bid))
	word.Store(uint32(first.bid) | uint32(b.tail)<<16)
}
