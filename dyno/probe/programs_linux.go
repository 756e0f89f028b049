package probe

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
)

// ProgramsProbe reads all processes of the machine that this one may see, and separates
// those that are measured or measure. It belongs to one goroutine.
//
// Only the CPU clock of each is read, which takes a microsecond; more is read of the
// few that used much.
type ProgramsProbe struct {
	roots []int // processes that are measured, with all under them
	files *reader
	list  tasks // lists numbers in a folder
	last  ProgramTotals
}

// NewPrograms makes a probe. This process is not among the programs, nor are the
// processes given with all that are under them.
func NewPrograms(roots ...int) *ProgramsProbe {
	return &ProgramsProbe{roots: roots, files: newReader(1), list: newTasks("/proc")}
}

// errHidden says that names of programs aren't readable.
var errHidden = errors.New("processes of others are hidden from this one (hidepid, or a container)")

// Snapshot reads all processes. The error is that of reading /proc at all.
func (p *ProgramsProbe) Snapshot() (ProgramTotals, error) {
	if err := p.list.list(p.files); err != nil {
		return ProgramTotals{}, err
	}
	now := ProgramTotals{time: clock.Now(), by: make(map[int]programTotal, len(p.last.by))}
	least := time.Duration(programsShare / 4 * float64(now.time-p.last.time))
	for _, name := range p.list.names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue // no process
		}
		cpu, err := processCPU(pid)
		if err != nil {
			continue // ended meanwhile
		}
		t := p.last.by[pid]
		used := cpu - t.CPU
		if used < 0 { // another one got the number
			t, used = programTotal{}, cpu
		}
		t.PID, t.CPU = pid, cpu
		if p.last.by == nil || used >= least {
			p.look(&t)
		}
		now.by[pid] = t
	}
	p.last = now
	return now, nil
}

// look reads more of a process.
func (p *ProgramsProbe) look(t *programTotal) {
	stat, err := p.stat(t.PID)
	if err != nil {
		return
	}
	t.Name = stat.name
	if !t.classified {
		t.measured, t.classified = p.isMeasured(t.PID, stat.parent), true
	}
	if !t.measured && p.last.by != nil {
		t.On = p.cpusOf(t.PID, stat.processor)
	}
}

func (p *ProgramsProbe) stat(pid int) (processStat, error) {
	f := procFile{path: procPath(pid, "stat")}
	defer p.files.close(&f)
	return readProcessStat(&f, p.files)
}

// isMeasured looks for one of the roots among a process and its ancestors. This
// process is measured for itself: what it has started need not be.
func (p *ProgramsProbe) isMeasured(pid, parent int) bool {
	if pid == os.Getpid() {
		return true
	}
	for range 64 { // more than any tree is deep
		if slices.Contains(p.roots, pid) {
			return true
		}
		if parent <= 1 {
			return false
		}
		pid = parent
		stat, err := p.stat(pid)
		if err != nil {
			return false
		}
		parent = stat.parent
	}
	return false
}

// maxThreads bounds the threads of a program that are looked at for their CPUs.
const maxThreads = 64

// cpusOf are the CPUs on which threads of a process are running, in order; that of
// the last time, if none is.
func (p *ProgramsProbe) cpusOf(pid, last int) []int {
	threads := newTasks(procPath(pid, "task"))
	defer threads.close(p.files)
	if err := threads.list(p.files); err != nil {
		return []int{last}
	}
	var on []int
	for _, name := range threads.names[:min(len(threads.names), maxThreads)] {
		f := procFile{path: threads.dir.path + "/" + name + "/stat"}
		if stat, err := readProcessStat(&f, p.files); err == nil && stat.running && !slices.Contains(on, stat.processor) {
			on = append(on, stat.processor)
		}
		p.files.close(&f)
	}
	if on == nil {
		return []int{last}
	}
	slices.Sort(on)
	return on
}

// Missing says why programs may be there that are not seen; nil if they all are.
func (p *ProgramsProbe) Missing() error {
	var st unix.Stat_t
	if err := unix.Stat("/proc/2", &st); err != nil { // kthreadd, where nothing is hidden
		return errHidden
	}
	return nil
}

// Close releases the files that are kept open.
func (p *ProgramsProbe) Close() { p.list.close(p.files) }

// SelfProbe reads what this process and others that work for it have used. It belongs to one
// goroutine.
type SelfProbe struct {
	files   *reader
	tasks   tasks
	helpers []int
	missing absent
}

// NewSelf makes a probe of this process and of the given ones, without what is under them.
func NewSelf(helpers ...int) *SelfProbe {
	return &SelfProbe{files: newReader(64), tasks: newTasks("/proc/self/task"), helpers: helpers}
}

// Snapshot reads the CPU time of these processes, and how long threads of this one were runnable
// and not running; 0 where the kernel doesn't report that. A helper that has ended counts no more.
func (p *SelfProbe) Snapshot() (Self, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		return Self{}, fmt.Errorf("reading the CPU clock of this process: %w", err)
	}
	used := time.Duration(ts.Nano())
	for _, pid := range p.helpers {
		if cpu, err := processCPU(pid); err == nil {
			used += cpu
		}
	}
	p.missing.clear()
	waited := p.tasks.refresh(p.files, &p.missing).runQueue
	return Self{CPU: used, RunQueue: waited}, nil
}

// Close releases the files that are kept open.
func (p *SelfProbe) Close() { p.tasks.close(p.files) }
