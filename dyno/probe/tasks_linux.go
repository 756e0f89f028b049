package probe

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// tasks are the threads of one process.
type tasks struct {
	dir     procFile
	threads map[string]*thread // by number
	gone    usage              // of threads that have ended
	names   []string           // scratch
}

// thread is one thread with the files it is read from.
type thread struct {
	status, schedstat, children procFile
	last                        usage
	seen                        bool
}

func newTasks(path string) tasks {
	return tasks{dir: procFile{path: path}, threads: make(map[string]*thread)}
}

// refresh reads all threads and returns their switches and run-queue delay,
// those of ended ones included.
func (t *tasks) refresh(files *reader, missing *absent) usage {
	missing.note("switches", t.list(files))
	for _, th := range t.threads {
		th.seen = false
	}
	sum := t.gone
	for _, name := range t.names {
		th := t.threads[name]
		if th == nil {
			th = newThread(t.dir.path + "/" + name)
			t.threads[name] = th
		}
		th.seen = true
		if th.refresh(files, missing) {
			// The number has gone to another thread: this one is read next time.
			t.bury(name, files, &sum)
			continue
		}
		sum.add(th.last)
	}
	for name, th := range t.threads {
		if !th.seen {
			t.bury(name, files, &sum)
		}
	}
	return sum
}

// bury keeps what an ended thread had used.
func (t *tasks) bury(name string, files *reader, sum *usage) {
	th := t.threads[name]
	t.gone.add(th.last)
	sum.add(th.last)
	th.close(files)
	delete(t.threads, name)
}

// list reads the numbers of the threads that are there now.
func (t *tasks) list(files *reader) error {
	t.names = t.names[:0]
	fd := t.dir.fd
	if fd == 0 {
		var err error
		if fd, err = unix.Open(t.dir.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
			return fmt.Errorf("opening %s: %w", t.dir.path, err)
		}
		t.dir.fd = fd
		files.spare--
	}
	if _, err := unix.Seek(fd, 0, 0); err != nil {
		return fmt.Errorf("rewinding %s: %w", t.dir.path, err)
	}
	for {
		n, err := unix.ReadDirent(fd, files.buf)
		if err != nil {
			return fmt.Errorf("listing %s: %w", t.dir.path, err)
		}
		if n == 0 {
			return nil
		}
		_, _, t.names = unix.ParseDirent(files.buf[:n], -1, t.names)
	}
}

// children appends the children of all threads to pids. The error is ENOENT,
// wrapped, when the kernel doesn't list children.
func (t *tasks) children(pids []int, files *reader) ([]int, error) {
	for _, th := range t.threads {
		data, err := files.read(&th.children)
		if err != nil {
			if th.children.fd == 0 && errors.Is(err, unix.ENOENT) && th.alive() {
				return pids, err
			}
			continue // ended meanwhile
		}
		if pids, err = appendPIDs(pids, data); err != nil {
			return pids, err
		}
	}
	return pids, nil
}

func (t *tasks) close(files *reader) {
	files.close(&t.dir)
	for _, th := range t.threads {
		th.close(files)
	}
	clear(t.threads)
}

func newThread(path string) *thread {
	return &thread{
		status:    procFile{path: path + "/status"},
		schedstat: procFile{path: path + "/schedstat"},
		children:  procFile{path: path + "/children"},
	}
}

// refresh reads the thread's counters and reports whether it has ended.
func (th *thread) refresh(files *reader, missing *absent) (ended bool) {
	data, err := files.read(&th.status)
	if err == nil {
		th.last.voluntary, th.last.involuntary, err = parseSwitches(data)
	}
	if hasEnded(err) {
		return true
	}
	missing.note("switches", err)
	data, err = files.read(&th.schedstat)
	if err == nil {
		th.last.runQueue, err = parseSchedstat(data)
	}
	if hasEnded(err) && !th.alive() {
		return true
	}
	missing.note("run_queue", err) // a kernel without CONFIG_SCHED_INFO has none
	return false
}

// alive distinguishes a file that the kernel doesn't have from a thread that has ended.
func (th *thread) alive() bool {
	var st unix.Stat_t
	return unix.Stat(th.status.path, &st) == nil
}

func (th *thread) close(files *reader) {
	files.close(&th.status)
	files.close(&th.schedstat)
	files.close(&th.children)
}
