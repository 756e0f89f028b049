package sampled

import (
	"bufio"
	"cmp"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names finds the functions of addresses in one process, as a sampler does. Its methods belong to
// one goroutine.
type Names struct{ symbols symbols }

// NewNames is for a process that is there.
func NewNames(pid int) *Names {
	return &Names{symbols{pid: pid, files: map[string]*objectFile{}}}
}

// Function is that of an address; "[unknown]" if it has no name.
func (n *Names) Function(address uint64) string { return n.symbols.function(address) }

// symbols finds the function of an address in one process.
type symbols struct {
	pid   int
	maps  []mapping
	read  time.Time              // when the maps were
	files map[string]*objectFile // by path, shared among processes
}

// mapping is a part of a file in a process's memory that may be executed.
type mapping struct {
	start, end, offset uint64
	path               string // in /proc, so that it can be read whatever it is called by now
	name               string
}

// readMaps reads what may be executed of a process (proc_pid_maps(5)).
func readMaps(pid int) ([]mapping, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || !strings.Contains(fields[1], "x") || !strings.HasPrefix(fields[5], "/") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		m := mapping{name: fields[5]}
		var bad [3]error
		m.start, bad[0] = strconv.ParseUint(from, 16, 64)
		m.end, bad[1] = strconv.ParseUint(to, 16, 64)
		m.offset, bad[2] = strconv.ParseUint(fields[2], 16, 64)
		m.path = fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, m.start, m.end)
		if bad == [3]error{} {
			list = append(list, m)
		}
	}
	return list, nil
}

// again is how soon the maps are read again for an address that is in none: a shell becomes
// the program, a program loads a library.
const again = 100 * time.Millisecond

// function is that of an address.
func (s *symbols) function(address uint64) string {
	m := s.find(address)
	if m == nil && time.Since(s.read) > again {
		if maps, err := readMaps(s.pid); err == nil {
			s.maps = maps
		}
		s.read = time.Now()
		m = s.find(address)
	}
	if m == nil {
		return unknown
	}
	file := s.files[m.name]
	if file == nil {
		file = readObject(m.path)
		s.files[m.name] = file
	}
	return file.function(address - m.start + m.offset)
}

func (s *symbols) find(address uint64) *mapping {
	at := slices.IndexFunc(s.maps, func(m mapping) bool { return address >= m.start && address < m.end })
	if at < 0 {
		return nil
	}
	return &s.maps[at]
}

// objectFile is the functions of a program or library, by their place in the file.
type objectFile struct {
	segments  []elf.ProgHeader
	functions []function // by address
}

type function struct {
	from, to uint64
	name     string
}

// readObject reads what functions a file has; none if it can't be read.
func readObject(path string) *objectFile {
	o := &objectFile{}
	f, err := elf.Open(path)
	if err != nil {
		return o
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			o.segments = append(o.segments, p.ProgHeader)
		}
	}
	named, _ := f.Symbols()
	exported, _ := f.DynamicSymbols()
	for _, s := range append(named, exported...) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value != 0 {
			o.functions = append(o.functions, function{s.Value, s.Value + s.Size, s.Name})
		}
	}
	if len(named) == 0 {
		o.functions = append(o.functions, goFunctions(f)...)
	}
	slices.SortStableFunc(o.functions, func(a, b function) int { return cmp.Compare(a.from, b.from) })
	return o
}

// goFunctions are those of a Go program without a symbol table, from what its own
// tracebacks use.
func goFunctions(f *elf.File) (list []function) {
	lines, text := f.Section(".gopclntab"), f.Section(".text")
	if lines == nil || text == nil {
		return nil
	}
	data, err := lines.Data()
	if err != nil {
		return nil
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil
	}
	for _, f := range table.Funcs {
		list = append(list, function{f.Entry, f.End, f.Name})
	}
	return list
}

// function is the one at a place in the file.
func (o *objectFile) function(offset uint64) string {
	for _, s := range o.segments {
		if offset < s.Off || offset >= s.Off+s.Filesz {
			continue
		}
		address := offset - s.Off + s.Vaddr
		at, found := slices.BinarySearchFunc(o.functions, address, func(f function, a uint64) int { return cmp.Compare(f.from, a) })
		if !found {
			at--
		}
		// Hand-written assembly has symbols without a size.
		if at >= 0 && (address < o.functions[at].to || o.functions[at].from == o.functions[at].to) {
			return o.functions[at].name
		}
	}
	return unknown
}
