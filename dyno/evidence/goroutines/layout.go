package goroutines

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dyno.example/dyno/evidence"
)

// layout is where in a Go program's memory its runtime keeps what is looked at.
type layout struct {
	all     uint64 // runtime.allgs
	phase   uint64 // runtime.gcphase
	reasons uint64 // runtime.waitReasonStrings
	count   int    // of these
	status  uint64 // offsets in a goroutine
	reason  uint64
	first   uint64 // address of the program's first segment, as linked
	moves   bool   // it is loaded anywhere

	collector []evidence.Code // functions that collect garbage
}

// ErrNotGo says that a program is none of Go's.
var ErrNotGo = errors.New("not a Go program")

// layoutOf finds it in a program's file.
func layoutOf(file string) (*layout, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Section(".go.buildinfo") == nil {
		return nil, ErrNotGo
	}
	l := &layout{moves: f.Type == elf.ET_DYN}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			l.first = p.Vaddr - p.Off
			break
		}
	}
	if err := l.symbols(f); err != nil {
		return nil, err
	}
	return l, l.offsets(f)
}

// symbols finds the runtime's variables.
func (l *layout) symbols(f *elf.File) error {
	list, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("the program has no symbols (linked with -s): %w", err)
	}
	const stringSize = 16
	for i := range list {
		s := &list[i]
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && collects(s.Name) {
			l.collector = append(l.collector, evidence.Code{From: s.Value, To: s.Value + s.Size})
		}
		switch s.Name {
		case "runtime.allgs":
			l.all = s.Value
		case "runtime.gcphase":
			l.phase = s.Value
		case "runtime.waitReasonStrings":
			l.reasons, l.count = s.Value, int(s.Size/stringSize)
		}
	}
	if l.all == 0 || l.phase == 0 || l.reasons == 0 {
		return errors.New("the program's symbols lack those of Go's runtime")
	}
	return nil
}

// collectors are how the names of the functions begin with which Go's runtime collects garbage,
// sweeps, and gives memory back.
var collectors = []string{
	"runtime.gc", "runtime.(*gc", "runtime.scan", "runtime.(*scan", "runtime.mark", "runtime.grey", "runtime.sweep", "runtime.(*sweep", "runtime.bgsweep",
	"runtime.(*activeSweep", "runtime.(*mspan).sweep", "runtime.(*mspan).mark", "runtime.(*spanInlineMark", "runtime.tryDeferToSpanScan", "runtime.wbBuf",
	"runtime.(*mheap).reclaim", "runtime.(*mheap).freeSpan", "runtime.bgscavenge", "runtime.(*scavenge", "internal/runtime/gc",
}

// collects reports whether a function is one of those.
func collects(name string) bool {
	return slices.ContainsFunc(collectors, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// offsets finds the fields of a goroutine in the program's DWARF.
func (l *layout) offsets(f *elf.File) error {
	info, abbrev := f.Section(".debug_info"), f.Section(".debug_abbrev")
	if info == nil || abbrev == nil {
		return errors.New("the program has no DWARF (linked with -s or -w)")
	}
	text, err := info.Data()
	if err != nil {
		return fmt.Errorf("the program's DWARF: %w", err)
	}
	kinds, err := abbrev.Data()
	if err != nil {
		return fmt.Errorf("the program's DWARF: %w", err)
	}
	data, err := dwarf.New(kinds, nil, nil, text, nil, nil, nil, nil)
	if err != nil {
		return fmt.Errorf("the program's DWARF: %w", err)
	}
	found := fieldsOf(data, text, "runtime.g")
	var ok, also bool
	l.status, ok = found["atomicstatus"]
	l.reason, also = found["waitreason"]
	if !ok || !also {
		return errors.New("the program's DWARF doesn't tell what a goroutine is")
	}
	return nil
}

// fieldsOf are the offsets of a type's fields. To read all entries up to it would take a
// second: its name is looked for in the bytes, behind a number of one byte or two.
func fieldsOf(data *dwarf.Data, text []byte, name string) map[string]uint64 {
	reader := data.Reader()
	wanted := append([]byte(name), 0)
	for at := bytes.Index(text, wanted); at >= 0; {
		for _, number := range []int{1, 2} {
			if at < number {
				continue
			}
			reader.Seek(dwarf.Offset(at - number))
			e, err := reader.Next()
			if err == nil && e != nil && e.Tag == dwarf.TagStructType && e.Val(dwarf.AttrName) == name {
				return members(reader)
			}
		}
		next := bytes.Index(text[at+1:], wanted)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return nil
}

// members are the offsets of the fields that a reader is before.
func members(reader *dwarf.Reader) map[string]uint64 {
	found := make(map[string]uint64)
	for {
		e, err := reader.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return found
		}
		name, named := e.Val(dwarf.AttrName).(string)
		offset, placed := e.Val(dwarf.AttrDataMemberLoc).(int64)
		if named && placed && offset >= 0 {
			found[name] = uint64(offset)
		}
		reader.SkipChildren()
	}
}
