package sampled

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// How much waits to be read, and how much is kept.
const (
	ringPages   = 128 // a power of two
	readEvery   = 50 * time.Millisecond
	deepest     = 64
	mostMoments = 4 << 20       // of all processes together, 16 bytes each
	userContext = ^uint64(511)  // PERF_CONTEXT_USER, -512
	markers     = ^uint64(4095) // addresses from here on are such marks
)

// Sampler samples all CPUs until it is stopped. Its events end with this process, however
// that ends.
type Sampler struct {
	config Config
	kept   int // moments
	rings  []*ring
	seen   map[int]*seen // by process
	files  map[string]*objectFile
	stop   chan struct{}
	done   chan struct{}
	lost   uint64
}

// seen is a process with what its addresses mean.
type seen struct {
	Process
	symbols symbols
	asked   int // how often it was, whether it is wanted
	last    time.Time
}

// Start samples what goes on on the CPUs.
// It needs CAP_PERFMON, or kernel.perf_event_paranoid at -1 (perf_event_open(2)); the
// error says so.
func Start(c Config) (*Sampler, error) {
	s := &Sampler{config: c, seen: map[int]*seen{}, files: map[string]*objectFile{}, stop: make(chan struct{}), done: make(chan struct{})}
	for _, cpu := range c.CPUs {
		r, err := openRing(cpu)
		if err != nil {
			s.close()
			return nil, err
		}
		s.rings = append(s.rings, r)
	}
	go s.run()
	return s, nil
}

// Stop ends the sampling, and returns what was seen of each process, and how many samples
// the kernel had no room for.
func (s *Sampler) Stop() (list []*Process, lost uint64) {
	close(s.stop)
	<-s.done
	s.close()
	for _, p := range s.seen {
		if p.Samples > 0 {
			list = append(list, &p.Process)
		}
	}
	return list, s.lost
}

func (s *Sampler) run() {
	defer close(s.done)
	ticks := time.NewTicker(readEvery)
	defer ticks.Stop()
	for stopped := false; !stopped; {
		select {
		case <-s.stop:
			stopped = true
		case <-ticks.C:
		}
		for _, r := range s.rings {
			r.read(s.record)
		}
	}
}

func (s *Sampler) close() {
	for _, r := range s.rings {
		r.close()
	}
}

// record takes a record of a ring (perf_event_open(2), "MMAP layout").
func (s *Sampler) record(kind uint32, data []byte) {
	if kind == unix.PERF_RECORD_LOST && len(data) >= 16 {
		s.lost += binary.NativeEndian.Uint64(data[8:])
	}
	if kind != unix.PERF_RECORD_SAMPLE || len(data) < 24 {
		return
	}
	p := s.process(int(binary.NativeEndian.Uint32(data)))
	if p == nil {
		return
	}
	depth := binary.NativeEndian.Uint64(data[16:])
	functions := make([]string, 0, deepest)
	user := false
	for at := 24; depth > 0 && at+8 <= len(data) && len(functions) < deepest; at, depth = at+8, depth-1 {
		switch address := binary.NativeEndian.Uint64(data[at:]); {
		case address >= markers:
			if user = address == userContext; !user && len(functions) == 0 {
				functions = append(functions, Kernel)
			}
		case user:
			if len(functions) > 1 || len(functions) == 1 && functions[0] != Kernel {
				address-- // it is where the call returns to, which may be another function's beginning
			}
			functions = append(functions, p.symbols.function(address))
		}
	}
	if len(functions) == 0 {
		return
	}
	if place := p.add(functions); s.config.Moments && s.kept < mostMoments {
		s.kept++
		thread, at := binary.NativeEndian.Uint32(data[4:]), binary.NativeEndian.Uint64(data[8:])
		p.moments = append(p.moments, Moment{At: int64(at), Thread: int32(thread), stack: place})
	}
}

// A process that isn't wanted is asked again after a while, so often: it may have been
// seen before it went to its folder.
const (
	askAgain = 100 * time.Millisecond
	asked    = 10
)

// process is nil for one that isn't wanted.
func (s *Sampler) process(pid int) *seen {
	p := s.seen[pid]
	switch {
	case p == nil:
		p = &seen{Process: Process{PID: pid}, symbols: symbols{pid: pid, files: s.files}}
		s.seen[pid] = p
	case p.Dir != "":
		return p
	case p.asked >= asked || time.Since(p.last) < askAgain:
		return nil
	}
	p.asked, p.last = p.asked+1, time.Now()
	if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); pid > 0 && err == nil && s.config.Wanted(pid, dir) {
		p.Dir = dir
		return p
	}
	return nil
}

// ring is the event of one CPU, and the memory that the kernel writes its samples to.
type ring struct {
	fd     int
	memory []byte
	page   *unix.PerfEventMmapPage
}

func openRing(cpu int) (*ring, error) {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: perSecond, Sample_type: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CALLCHAIN,
		Bits: unix.PerfBitFreq | unix.PerfBitUseClockID, Clockid: unix.CLOCK_MONOTONIC,
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sampling CPU %d (which takes root, or CAP_PERFMON): %w", cpu, err)
	}
	memory, err := unix.Mmap(fd, 0, (1+ringPages)*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("memory for the samples of CPU %d: %w", cpu, err), unix.Close(fd))
	}
	return &ring{fd: fd, memory: memory, page: (*unix.PerfEventMmapPage)(unsafe.Pointer(&memory[0]))}, nil
}

func (r *ring) close() {
	unix.Munmap(r.memory)
	unix.Close(r.fd)
}

// read hands out what has come since it was last called. The kernel's head is read with an
// acquire, our tail written with a release, as the manual asks for.
func (r *ring) read(record func(kind uint32, data []byte)) {
	head, tail := atomic.LoadUint64(&r.page.Data_head), r.page.Data_tail
	data := r.memory[os.Getpagesize():]
	size := uint64(len(data))
	var whole []byte // of a record that goes on at the beginning of the ring
	for tail < head {
		begin := tail % size
		kind := binary.NativeEndian.Uint32(data[begin:]) // headers are aligned, and never split
		length := uint64(binary.NativeEndian.Uint16(data[begin+6:]))
		if length < 8 {
			break
		}
		whole = whole[:0]
		for at := tail + 8; at < tail+length; at += 8 {
			whole = append(whole, data[at%size:at%size+8]...)
		}
		record(kind, whole)
		tail += length
	}
	atomic.StoreUint64(&r.page.Data_tail, tail)
}
