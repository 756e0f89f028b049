package kernel

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// TickEvery is how often it is looked at what each CPU does, in ns of its time.
const TickEvery = 1_000_000

// ticks are clocks of each CPU at whose ticks a program runs. Its methods belong to one
// goroutine.
type ticks struct{ fds []int }

// start has a program run at each tick of each CPU that is there.
func (t *ticks) start(program *ebpf.Program, cpus int) error {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: TickEvery, Bits: unix.PerfBitDisabled,
	}
	for cpu := range cpus {
		fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if errors.Is(err, unix.ENODEV) { // a CPU that could be there and isn't
			continue
		}
		if err == nil {
			t.fds = append(t.fds, fd)
			if err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, program.FD()); err == nil {
				err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
			}
		}
		if err != nil {
			t.stop()
			return fmt.Errorf("a clock of CPU %d: %w", cpu, err)
		}
	}
	return nil
}

// enable lets the clocks tick, or not.
func (t *ticks) enable(on bool) (err error) {
	request := uint(unix.PERF_EVENT_IOC_DISABLE)
	if on {
		request = unix.PERF_EVENT_IOC_ENABLE
	}
	for _, fd := range t.fds {
		err = errors.Join(err, unix.IoctlSetInt(fd, request, 0))
	}
	return err
}

func (t *ticks) stop() {
	for _, fd := range t.fds {
		_ = unix.Close(fd)
	}
	t.fds = nil
}

// code is where the kernel's functions are in its memory.
type code struct{ from, to uint64 }

// functions finds some of the kernel's functions by their names; those that aren't there, or
// whose places aren't told to this user, are missing.
func functions(names ...string) map[string]code {
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		return nil
	}
	var starts []uint64
	at := make(map[uint64]string)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) != 3 || fields[1][0] != 'T' && fields[1][0] != 't' { // modules' have four
			continue
		}
		start, err := strconv.ParseUint(string(fields[0]), 16, 64)
		if err != nil || start == 0 {
			continue
		}
		starts = append(starts, start)
		if name := string(fields[2]); slices.Contains(names, name) {
			at[start] = name
		}
	}
	slices.SortFunc(starts, cmp.Compare[uint64])
	starts = slices.Compact(starts)
	found := make(map[string]code, len(at))
	for start, name := range at {
		if i, _ := slices.BinarySearch(starts, start); i+1 < len(starts) {
			found[name] = code{start, starts[i+1]}
		}
	}
	return found
}

// tellPlaces tells the programs where the kernel handles page faults and soft interrupts. What
// isn't known counts as the kernel's other work.
func tellPlaces(spec *ebpf.CollectionSpec) error {
	found := functions("exc_page_fault", "do_page_fault", "do_mem_abort", "handle_softirqs", "__do_softirq")
	set := func(name string, candidates ...string) error {
		for _, candidate := range candidates {
			if c, ok := found[candidate]; ok {
				return errors.Join(spec.Variables[name+"_from"].Set(c.from), spec.Variables[name+"_to"].Set(c.to))
			}
		}
		return nil
	}
	return errors.Join(set("fault", "exc_page_fault", "do_mem_abort", "do_page_fault"), set("interrupt", "handle_softirqs", "__do_softirq"))
}
