package kernel

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"

	"dyno.example/dyno/evidence"
)

//go:embed events.bpf.o
var object []byte

// Bounds of the rings, which are as many as the machine has CPUs.
const (
	mostMemory = 64 << 20 // bytes of all rings together
	mostEvents = 1 << 17  // of one
	leastRing  = 1 << 12
)

// typed is the kind of a program's section, before the name of its tracepoint; tick is the
// section of the one that runs at ticks of the CPUs' clocks.
const (
	typed = "tp_btf/"
	tick  = "perf_event"
)

// needs are the stages that can't be told without a tracepoint, as people are told.
var needs = map[string]string{
	"sched_switch": "cpu-wait, throttled, lock, disk, on-cpu", "sched_waking": "cpu-wait", "sk_data_ready": "receive queue, network, upstream",
	"sock_recv_length": "receive queue, loop-queue, upstream", "sock_send_length": "send-queue, upstream", "inet_sock_set_state": "accept-queue",
	"tcp_retransmit_skb": "retransmit", "sched_process_fork": "processes that the server starts", "sched_process_exit": "processes that end",
	"sched_wakeup_new": "threads that begin", tick: "what threads on a CPU are at, page-fault, interrupt",
}

// Probes are the programs, loaded. Its methods belong to one goroutine.
type Probes struct {
	collection *ebpf.Collection
	points     map[string]string // program's name → tracepoint
	links      map[string]link.Link
	ticks      ticks
	cpus       int
	absent     []evidence.Probe
	missing    []evidence.Missing
	rings      rings
	watched    []byte   // by number of process; shared with the programs
	clocks     []byte   // when those of the CPUs ticked last; shared with the programs
	memory     [][]byte // mapped
	stats      interface{ Close() error }
}

// Open loads the programs for a server that listens on a port, and attaches none. An error
// means that nothing can be seen of the kernel here, and says why.
func Open(port int) (*Probes, error) {
	if err := possible(); err != nil {
		return nil, err
	}
	_ = rlimit.RemoveMemlock() // not needed since 5.11; its failure shows below
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, err
	}
	p := &Probes{points: make(map[string]string), links: make(map[string]link.Link)}
	if err := p.leaveOut(spec); err != nil {
		return nil, err
	}
	cpus := runtime.NumCPU()
	if n, err := ebpf.PossibleCPU(); err == nil {
		cpus = n
	}
	ring := ringSize(cpus)
	p.cpus = cpus
	spec.Maps["events"].MaxEntries = uint32(cpus * ring)
	err = errors.Join(spec.Variables["ring"].Set(uint32(ring)), spec.Variables["port"].Set(uint16(port)),
		spec.Variables["generator"].Set(uint32(os.Getpid())),
		spec.Variables["tick_every"].Set(uint64(TickEvery)), tellPlaces(spec))
	if err != nil {
		return nil, err
	}
	if p.collection, err = ebpf.NewCollection(spec); err != nil {
		return nil, fmt.Errorf("the kernel refuses the probes: %w", err)
	}
	if err := p.mapRings(spec, cpus, ring); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// ringSize is how many events each of the rings holds, a power of two.
func ringSize(cpus int) int {
	n := mostEvents
	for n > leastRing && n*cpus*int(unsafe.Sizeof(evidence.Event{})) > mostMemory {
		n /= 2
	}
	return n
}

// possible says what speaks against probes in this kernel for this user.
func possible() error {
	if _, err := os.Stat("/sys/kernel/btf/vmlinux"); err != nil {
		return errors.New("the kernel has no BTF (/sys/kernel/btf/vmlinux; CONFIG_DEBUG_INFO_BTF)")
	}
	if mode, err := os.ReadFile("/sys/kernel/security/lockdown"); err == nil && bytes.Contains(mode, []byte("[confidentiality]")) {
		return errors.New("the kernel is locked down (confidentiality)")
	}
	var caps [2]unix.CapUserData
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&head, &caps[0]); err != nil {
		return fmt.Errorf("reading capabilities: %w", err)
	}
	has := func(capability int) bool { return caps[capability/32].Effective&(1<<(capability%32)) != 0 }
	if !has(unix.CAP_SYS_ADMIN) && !(has(unix.CAP_BPF) && has(unix.CAP_PERFMON)) {
		return errors.New("it takes root, or CAP_BPF and CAP_PERFMON")
	}
	return nil
}

// leaveOut takes out of the spec what this kernel has no tracepoint for.
func (p *Probes) leaveOut(spec *ebpf.CollectionSpec) error {
	types, err := btf.LoadKernelSpec()
	if err != nil {
		return fmt.Errorf("reading the kernel's BTF: %w", err)
	}
	for name, program := range spec.Programs {
		point := strings.TrimPrefix(program.SectionName, typed)
		if p.points[name] = point; point == tick {
			continue
		}
		if _, err := types.AnyTypeByName("btf_trace_" + point); err != nil {
			delete(spec.Programs, name)
			p.leave(point, "this kernel has no such tracepoint")
		}
	}
	return nil
}

func (p *Probes) leave(point, why string) {
	p.absent = append(p.absent, evidence.Probe{Name: point, Why: why})
	p.missing = append(p.missing, evidence.Missing{What: needs[point], Why: point + ": " + why})
}

// mapRings makes what the programs write readable here.
func (p *Probes) mapRings(spec *ebpf.CollectionSpec, cpus, ring int) error {
	events := p.collection.Maps["events"]
	size := int(unsafe.Sizeof(evidence.Event{})) * cpus * ring
	memory, err := p.mmap(events.FD(), size, unix.PROT_READ)
	if err != nil {
		return fmt.Errorf("mapping the rings of events: %w", err)
	}
	heads := spec.Variables["heads"]
	bss := p.collection.Maps[heads.SectionName]
	page := os.Getpagesize()
	variables, err := p.mmap(bss.FD(), (int(bss.ValueSize())+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		return fmt.Errorf("mapping the probes' variables: %w", err)
	}
	p.rings = rings{events: memory, heads: variables[heads.Offset:], cpus: cpus, size: uint64(ring)}
	watched := spec.Variables["watched"]
	p.watched = variables[watched.Offset:][:watched.Size()]
	clocks := spec.Variables["clocks"]
	p.clocks = variables[clocks.Offset:][:clocks.Size()]
	return nil
}

func (p *Probes) mmap(fd, size, protection int) ([]byte, error) {
	m, err := unix.Mmap(fd, 0, size, protection, unix.MAP_SHARED)
	if err == nil {
		p.memory = append(p.memory, m)
	}
	return m, err
}

// Attach makes the programs run. Those that can't be attached are left out, and named by
// Missing; an error means that it is all of them.
func (p *Probes) Attach() error {
	var first error
	for _, name := range slices.Sorted(maps.Keys(p.collection.Programs)) {
		if p.links[name] != nil {
			continue
		}
		l, err := p.attach(name)
		if err != nil {
			if first == nil {
				first = err
			}
			p.leave(p.points[name], err.Error())
			delete(p.collection.Programs, name)
			continue
		}
		if l != nil {
			p.links[name] = l
		}
	}
	if len(p.links) == 0 {
		return fmt.Errorf("no probe can be attached: %w", first)
	}
	return nil
}

// attach makes one program run; the link is nil for the one that clocks call.
func (p *Probes) attach(name string) (link.Link, error) {
	program := p.collection.Programs[name]
	if p.points[name] != tick {
		return link.AttachTracing(link.TracingOptions{Program: program})
	}
	if len(p.ticks.fds) > 0 {
		return nil, nil
	}
	clear(p.clocks) // that they stood meanwhile is nobody's stall
	return nil, p.ticks.start(program, p.cpus)
}

// Clocked reports whether it is seen when a CPU stands still.
func (p *Probes) Clocked() bool { return len(p.ticks.fds) > 0 }

// Detach makes them not run until they are attached again.
func (p *Probes) Detach() error {
	var err error
	p.ticks.stop()
	for name, l := range p.links {
		err = errors.Join(err, l.Close())
		delete(p.links, name)
	}
	return err
}

// often are the tracepoints that come with each request.
var often = map[string]bool{"sched_switch": true, "sched_waking": true, "sk_data_ready": true, "sock_recv_length": true, "sock_send_length": true}

// LongPause is the pause, ns, from which on those that are called most are detached for it. That takes two
// milliseconds, and interrupts each CPU some times; to have them return at once takes 0.1 µs, and
// comes ten times or more with a request.
const LongPause = int64(2e8)

// Pause has them note nothing for some time, ns, or until it is ended by Resume; processes are followed on.
func (p *Probes) Pause(length int64) error {
	err := errors.Join(p.collection.Variables["enabled"].Set(uint32(0)), p.ticks.enable(false))
	if length < LongPause {
		return err
	}
	for name, l := range p.links {
		if often[p.points[name]] {
			err = errors.Join(err, l.Close())
			delete(p.links, name)
		}
	}
	return err
}

// Resume has them note again what happens. What is in the rings already is of before the pause.
func (p *Probes) Resume() error {
	clear(p.clocks)
	return errors.Join(p.Attach(), p.ticks.enable(true), p.collection.Variables["enabled"].Set(uint32(1)))
}

// Attached reports whether they run.
func (p *Probes) Attached() bool { return len(p.links) > 0 }

// Watch follows the threads of a process, and of those that it starts from now on.
func (p *Probes) Watch(pid int) error {
	if pid <= 0 || pid >= len(p.watched) {
		return fmt.Errorf("process %d: no such number", pid)
	}
	p.watched[pid] = 1
	return nil
}

// Trace leaves out connections as evidence.LeftOut says.
func (p *Probes) Trace(mask uint32) error { return p.collection.Variables["mask"].Set(mask) }

// Count has the kernel count how often and how long the programs run, until it is called
// again with false: that costs time by itself.
func (p *Probes) Count(on bool) error {
	if p.stats != nil {
		err := p.stats.Close()
		p.stats = nil
		if !on {
			return err
		}
	}
	if !on {
		return nil
	}
	s, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	if err == nil {
		p.stats = s
	}
	return err
}

// Programs says of each program whether it is attached and what it took.
func (p *Probes) Programs() []evidence.Probe {
	list := slices.Clone(p.absent)
	for name, program := range p.collection.Programs {
		one := evidence.Probe{Name: p.points[name], Attached: true}
		if s, err := program.Stats(); err == nil {
			one.Runs, one.Took = s.RunCount, int64(s.Runtime/time.Nanosecond)
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b evidence.Probe) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Missing is what can't be known as tracepoints are absent.
func (p *Probes) Missing() []evidence.Missing { return p.missing }

// Close removes all from the kernel.
func (p *Probes) Close() {
	_ = p.Count(false)
	_ = p.Detach()
	for _, m := range p.memory {
		_ = unix.Munmap(m)
	}
	p.memory, p.watched, p.clocks, p.rings = nil, nil, nil, rings{}
	if p.collection != nil {
		p.collection.Close()
	}
}
