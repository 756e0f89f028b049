package probe

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// member is one process of the tree.
type member struct {
	pid       int
	parent    *member // that it was found under; nil for the first
	statFile  procFile
	tasks     tasks
	stat      processStat
	own       usage // of the process itself, its ended threads included
	gone      usage // of ended children that were members
	openFiles int
	first     bool // it was there at the first snapshot, and has not been seen to have ended
	ended     bool // nothing left of it, not even a zombie
	buried    bool
}

func newMember(pid int, parent *member, files *reader) (*member, error) {
	m := &member{
		pid: pid, parent: parent,
		statFile: procFile{path: procPath(pid, "stat")},
		tasks:    newTasks(procPath(pid, "task")),
	}
	var err error
	if m.stat, err = readProcessStat(&m.statFile, files); err != nil {
		m.close(files)
		return nil, err
	}
	return m, nil
}

func readProcessStat(f *procFile, files *reader) (processStat, error) {
	data, err := files.read(f)
	if err != nil {
		return processStat{}, err
	}
	return parseProcessStat(data)
}

// refresh reads the process again and reports whether it may still have children.
func (m *member) refresh(files *reader, missing *absent) bool {
	// The clock is found by PID only. That the PID still means this process is checked
	// after.
	cpu, clockErr := processCPU(m.pid)
	stat, err := readProcessStat(&m.statFile, files)
	if hasEnded(err) || err == nil && stat.start != m.stat.start {
		m.ended = true
		return false
	}
	if err != nil { // such as dyno being out of files: what was read last stays
		missing.note("process", err)
		return false
	}
	m.stat = stat
	missing.note("cpu", clockErr)
	m.own.cpu = max(m.own.cpu, cpu)
	m.own.userTicks, m.own.sysTicks = stat.user, stat.system
	m.own.faultsMinor, m.own.faultsMajor = stat.minor, stat.major
	if stat.zombie {
		m.openFiles = 0
		m.tasks.close(files)
		return false // its children have been given to another
	}
	used := m.tasks.refresh(files, missing)
	m.own.voluntary, m.own.involuntary, m.own.runQueue = used.voluntary, used.involuntary, used.runQueue
	m.openFiles, err = countOpenFiles(m.pid)
	missing.note("open_files", err)
	return true
}

// alive distinguishes a file that the kernel doesn't have from a process that has
// ended.
func (m *member) alive() bool {
	var st unix.Stat_t
	return unix.Stat(m.statFile.path, &st) == nil
}

// children appends the process's children to pids.
func (m *member) children(pids []int, files *reader) ([]int, error) {
	return m.tasks.children(pids, files)
}

// total is what the process and its ended children have used.
func (m *member) total() usage {
	t := m.own
	t.add(m.gone.atLeast(m.reaped()))
	return t
}

// reaped is what the process knows of the children it has waited for.
func (m *member) reaped() usage {
	r := &m.stat.reaped
	return usage{
		cpu:       time.Duration(r.user+r.system) * tick,
		userTicks: r.user, sysTicks: r.system,
		faultsMinor: r.minor, faultsMajor: r.major,
	}
}

// settle makes the account of children as it is now the least it will be: a
// member that ends later is added on top, and so the sum can't shrink.
func (m *member) settle() { m.gone = m.gone.atLeast(m.reaped()) }

func (m *member) close(files *reader) {
	files.close(&m.statFile)
	m.tasks.close(files)
}

// processCPU returns the CPU time of a process, its ended threads included, to
// the nanosecond. The clock's number is made as clock_getcpuclockid(3) does.
func processCPU(pid int) (time.Duration, error) {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &ts); err != nil {
		return 0, fmt.Errorf("reading the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// maxListed bounds the counting of open files where the kernel doesn't.
const maxListed = 4096

// countOpenFiles counts a process's open files. Since Linux 6.2 the folder's
// size says how many there are; before, they are listed, up to maxListed.
func countOpenFiles(pid int) (int, error) {
	path := procPath(pid, "fd")
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, fmt.Errorf("counting %s: %w", path, err)
	}
	if st.Size > 0 {
		return int(st.Size), nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("counting open files: %w", err)
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxListed) // the error is the end of the folder
	return len(names), nil
}
