package probe

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
)

// maxOpenFiles is how many files of /proc one probe keeps open. Reading the
// others opens them each time, which costs twice as much.
const maxOpenFiles = 512

// ProcessProbe reads the process tree under one process. It belongs to one
// goroutine.
//
// Once seen, a process stays a member until it ends, also when its parent ends
// first. What ended members had used is kept. A member that began and ended
// between two snapshots is seen through its parent's account of the children it
// has waited for, which has CPU time (to 10 ms) and faults, but neither switches
// nor run-queue delay.
type ProcessProbe struct {
	pid     int
	files   *reader
	root    bool      // the first process was looked for
	members []*member // parents before their children
	known   map[int]*member
	pids    []int // scratch
	lost    usage // of ended members that have no parent in the tree any more
	quota   *throttleProbe
	memory  *pssReader // nil unless it is enabled
	looked  bool       // the first snapshot has been taken
	ended   []string   // what was there then and has ended, as "name (process 7)"
	begun   int        // processes that were found later
	scan    bool       // the kernel doesn't list children: search all of /proc
	missing absent
}

// NewProcess makes a probe for the process pid and all below it. Nothing is
// read before the first Snapshot.
func NewProcess(pid int) *ProcessProbe {
	return &ProcessProbe{pid: pid, files: newReader(maxOpenFiles), known: make(map[int]*member)}
}

// WatchPSS has snapshots read the proportional set size too, some of them: it costs
// more than all else.
func (p *ProcessProbe) WatchPSS() { p.memory = &pssReader{} }

// Close releases the files that are kept open.
func (p *ProcessProbe) Close() {
	for _, m := range p.members {
		m.close(p.files)
	}
	p.members, p.root = nil, true
	clear(p.known)
	if p.quota != nil {
		p.quota.close()
	}
}

// Snapshot reads the tree. The error is ErrEnded, wrapped, when nothing of it is
// alive.
func (p *ProcessProbe) Snapshot() (ProcessTotals, error) { return p.snapshot(false) }

// Last is the last snapshot, when the load is over: it has all that is enabled.
func (p *ProcessProbe) Last() (ProcessTotals, error) { return p.snapshot(true) }

func (p *ProcessProbe) snapshot(last bool) (ProcessTotals, error) {
	p.missing.clear()
	if !p.root {
		p.root = true
		p.join(p.pid, nil)
		p.quota = newThrottleProbe(p.pid)
	}
	for i := 0; i < len(p.members); i++ { // grows while children are found
		m := p.members[i]
		if m.refresh(p.files, &p.missing) {
			p.discover(m)
		}
	}
	if p.scan {
		p.search()
	}
	p.bury()
	p.looked = true
	t, err := p.totals()
	if p.memory != nil && err == nil && p.memory.due(clock.Now(), last) {
		var missing error
		t.pss, missing = p.memory.read(p.members, p.files)
		p.missing.note("pss", missing)
		t.missing = p.missing.list()
	}
	return t, err
}

// join makes the process pid a member, if it is not one, and it exists.
func (p *ProcessProbe) join(pid int, parent *member) {
	if p.known[pid] != nil {
		return
	}
	m, err := newMember(pid, parent, p.files)
	if err != nil {
		return // ended meanwhile
	}
	m.first = !p.looked
	if p.looked {
		p.begun++
	}
	p.known[pid] = m
	p.members = append(p.members, m)
}

// discover makes the children of m members.
func (p *ProcessProbe) discover(m *member) {
	if p.scan {
		return
	}
	var err error
	p.pids, err = m.children(p.pids[:0], p.files)
	if errors.Is(err, unix.ENOENT) {
		p.scan = true // CONFIG_PROC_CHILDREN is off
		return
	}
	for _, pid := range p.pids {
		p.join(pid, m)
	}
}

// search looks through all processes for children of members. A process forked
// after its parent may come before it in the listing, so it looks until nothing
// new is found.
func (p *ProcessProbe) search() {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		p.missing.note("processes", err)
		return
	}
	parents := make(map[int]int)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || p.known[pid] != nil {
			continue
		}
		if s, err := readProcessStat(&procFile{path: procPath(pid, "stat")}, newReader(0)); err == nil {
			parents[pid] = s.parent
		}
	}
	for found := true; found; {
		found = false
		for pid, ppid := range parents {
			if parent := p.known[ppid]; parent != nil && p.known[pid] == nil {
				p.join(pid, parent)
				if m := p.known[pid]; m != nil {
					m.refresh(p.files, &p.missing)
					found = true
				}
				delete(parents, pid)
			}
		}
	}
}

// bury takes ended members out, children first, and passes on what they had
// used to their next ancestor.
func (p *ProcessProbe) bury() {
	for i := len(p.members) - 1; i >= 0; i-- {
		m := p.members[i]
		if m.first && (m.ended || m.stat.zombie) {
			m.first = false
			p.ended = append(p.ended, fmt.Sprintf("%s (process %d)", m.stat.name, m.pid))
		}
		if !m.ended {
			continue
		}
		m.close(p.files)
		delete(p.known, m.pid)
		heir := m.parent
		for heir != nil && heir.buried {
			heir = heir.parent
		}
		if heir != nil {
			heir.gone.add(m.total())
		} else {
			p.lost.add(m.total())
		}
		m.buried = true
		p.members = append(p.members[:i], p.members[i+1:]...)
	}
}

// totals sums up what is left.
func (p *ProcessProbe) totals() (ProcessTotals, error) {
	t := ProcessTotals{used: p.lost, ended: slices.Clip(p.ended), begun: p.begun}
	for _, m := range p.members {
		t.used.add(m.total())
		m.settle()
		if m.stat.zombie {
			continue
		}
		t.processes++
		t.threads += m.stat.threads
		t.rss += m.stat.rss * uint64(os.Getpagesize())
		t.openFiles += m.openFiles
	}
	if t.processes == 0 {
		return t, fmt.Errorf("process %d: %w", p.pid, ErrEnded)
	}
	var err error
	t.throttled, err = p.quota.read()
	p.missing.note("throttled", err)
	t.missing = p.missing.list()
	return t, nil
}

func procPath(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}
