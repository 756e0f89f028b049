package goroutines

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/evidence"
	"dyno.example/nano/wire/clock"
)

// Bounds of a look.
const (
	mostGoroutines = 1 << 14 // of more only the collector is looked at
	mostParked     = 1 << 10 // that a look notes
	mostPieces     = 1 << 10 // of memory in one call (IOV_MAX)
	piece          = 64      // bytes of each goroutine: its state and reason are near each other
)

// Process is a Go process that is looked at. Its methods belong to one goroutine.
type Process struct {
	pid     int
	l       layout
	texts   [][16]byte // by reason
	known   []bool
	from    uint64 // offset of the piece in a goroutine
	before  int64  // when it was looked at before
	head    []byte
	list    []byte
	pieces  []byte
	remotes []unix.RemoteIovec
}

// Open finds out where a process keeps what is looked at. An error says why that isn't known.
func Open(pid int) (*Process, error) {
	l, err := layoutOf(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return nil, err
	}
	p := &Process{pid: pid, l: *l, head: make([]byte, 20)}
	if l.moves {
		at, err := loadedAt(pid)
		if err != nil {
			return nil, err
		}
		for _, address := range []*uint64{&p.l.all, &p.l.phase, &p.l.reasons} {
			*address += at - l.first
		}
		for i := range p.l.collector {
			p.l.collector[i].From += at - l.first
			p.l.collector[i].To += at - l.first
		}
	}
	p.from = min(l.status, l.reason)
	if max(l.status, l.reason)-p.from > piece-4 {
		return nil, fmt.Errorf("a goroutine's state and reason are %d bytes apart", max(l.status, l.reason)-p.from)
	}
	return p, p.readReasons()
}

// Collector are the functions, in the process's memory, that collect garbage.
func (p *Process) Collector() evidence.Codes { return evidence.CodesOf(p.l.collector) }

// loadedAt is where a process's program begins in its memory.
func loadedAt(pid int) (uint64, error) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return 0, err
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		if len(f) > 5 && f[5] == exe && strings.Trim(f[2], "0") == "" {
			start, _, _ := strings.Cut(f[0], "-")
			return strconv.ParseUint(start, 16, 64)
		}
	}
	return 0, fmt.Errorf("%s isn't in the memory of process %d", exe, pid)
}

// readReasons reads the runtime's words for why a goroutine waits.
func (p *Process) readReasons() error {
	const stringSize = 16
	headers := make([]byte, p.l.count*stringSize)
	if err := p.read(p.l.reasons, headers); err != nil {
		return err
	}
	for i := range p.l.count {
		at, size := binary.LittleEndian.Uint64(headers[i*stringSize:]), binary.LittleEndian.Uint64(headers[i*stringSize+8:])
		text := make([]byte, min(size, 64))
		if len(text) > 0 {
			if err := p.read(at, text); err != nil {
				return err
			}
		}
		short, known := evidence.ParkedText(string(text))
		p.texts, p.known = append(p.texts, short), append(p.known, known)
	}
	return nil
}

// read fills into from an address of the process.
func (p *Process) read(at uint64, into []byte) error {
	local := []unix.Iovec{{Base: &into[0], Len: uint64(len(into))}}
	n, err := unix.ProcessVMReadv(p.pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(into)}}, 0)
	if err == nil && n < len(into) {
		err = unix.EFAULT
	}
	if err != nil {
		return fmt.Errorf("reading the memory of process %d: %w", p.pid, err)
	}
	return nil
}

// States of goroutines, as Go's runtime has them since 1.5.
const (
	runnable = 1
	waiting  = 4
	scanned  = 0x1000 // and looked at by the collector
)

var runnableText, _ = evidence.ParkedText(evidence.Runnable)

// Rest says that it won't be looked at for a while: the next look speaks of its instant only.
func (p *Process) Rest() { p.before = 0 }

// Look appends an event for each goroutine that doesn't run, for a reason that may concern a
// request, and one if garbage is being collected. An error means that the process has ended.
func (p *Process) Look(into []evidence.Event) ([]evidence.Event, error) {
	if err := p.read(p.l.phase, p.head[16:20]); err != nil {
		return into, err
	}
	if err := p.read(p.l.all, p.head[:16]); err != nil {
		return into, err
	}
	e := evidence.Event{Time: clock.Now(), Process: int32(p.pid), Call: -1}
	if p.before != 0 {
		e.B = uint32(min(e.Time-p.before, 1<<31))
	}
	p.before = e.Time
	if binary.LittleEndian.Uint32(p.head[16:]) != 0 {
		e.Kind = evidence.Collecting
		into = append(into, e)
	}
	e.Kind = evidence.Parked
	n := int(binary.LittleEndian.Uint64(p.head[8:]))
	if n <= 0 || n > mostGoroutines {
		return into, nil
	}
	p.grow(n)
	if err := p.read(binary.LittleEndian.Uint64(p.head), p.list[:8*n]); err != nil {
		return into, err
	}
	if err := p.readPieces(n); err != nil {
		return into, err
	}
	noted := 0
	for i := range n {
		one := p.pieces[i*piece:]
		switch binary.LittleEndian.Uint32(one[p.l.status-p.from:]) &^ scanned {
		case runnable:
			e.Text = runnableText
		case waiting:
			reason := int(one[p.l.reason-p.from])
			if reason >= len(p.known) || !p.known[reason] {
				continue
			}
			e.Text = p.texts[reason]
		default:
			continue
		}
		e.Subject = binary.LittleEndian.Uint64(p.list[8*i:])
		into = append(into, e)
		if noted++; noted == mostParked {
			break
		}
	}
	return into, nil
}

// grow makes room for n goroutines.
func (p *Process) grow(n int) {
	if len(p.list) < 8*n {
		p.list, p.pieces, p.remotes = make([]byte, 16*n), make([]byte, 2*n*piece), make([]unix.RemoteIovec, 2*n)
	}
}

// readPieces reads the state of the n goroutines of the list.
func (p *Process) readPieces(n int) error {
	for i := range n {
		p.remotes[i] = unix.RemoteIovec{Base: uintptr(binary.LittleEndian.Uint64(p.list[8*i:]) + p.from), Len: piece}
	}
	for at := 0; at < n; at += mostPieces {
		end := min(at+mostPieces, n)
		local := unix.Iovec{Base: (*byte)(unsafe.Pointer(&p.pieces[at*piece])), Len: uint64((end - at) * piece)}
		got, err := unix.ProcessVMReadv(p.pid, []unix.Iovec{local}, p.remotes[at:end], 0)
		if err != nil {
			return fmt.Errorf("reading the memory of process %d: %w", p.pid, err)
		}
		clear(p.pieces[at*piece+got : end*piece]) // a list that was copied while it grew
	}
	return nil
}
