package subject

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// process is a line of /proc/PID/stat, as far as it matters here (proc(5)).
type process struct {
	identity
	parent int
	group  int
	state  byte
}

// readProcess reads /proc/PID/stat.
func readProcess(pid int) (process, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseStat(data)
}

// parseStat parses the content of /proc/PID/stat. The second field is the
// command's name in parentheses and may hold anything, parentheses too.
func parseStat(data []byte) (process, error) {
	var p process
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 1 || end < open {
		return p, fmt.Errorf("read the state of a process: no name in %q", data)
	}
	fields := strings.Fields(string(data[end+1:])) // from the third field on
	if len(fields) < 20 || len(fields[0]) != 1 {
		return p, fmt.Errorf("read the state of a process: too short: %q", data)
	}
	var errs [4]error
	p.state = fields[0][0]
	p.PID, errs[0] = strconv.Atoi(strings.TrimSpace(string(data[:open])))
	p.parent, errs[1] = strconv.Atoi(fields[1])
	p.group, errs[2] = strconv.Atoi(fields[2])
	p.Start, errs[3] = strconv.ParseUint(fields[19], 10, 64)
	for _, err := range errs {
		if err != nil {
			return p, fmt.Errorf("read the state of a process: %w", err)
		}
	}
	return p, nil
}

// startTime returns the start time of a process, in clock ticks since boot.
func startTime(pid int) (uint64, error) {
	p, err := readProcess(pid)
	return p.Start, err
}

// ended reports whether the process is no more, or a corpse its parent has not
// buried.
func (p process) ended() bool { return p.state == 'Z' || p.state == 'X' }

// alive reports whether the process that id names still runs.
func alive(id identity) bool {
	p, err := readProcess(id.PID)
	return err == nil && p.Start == id.Start && !p.ended()
}

// processes lists those that run now.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var list []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil && !p.ended() {
			list = append(list, p)
		}
	}
	return list
}

// descendants lists the PIDs of the children of root, theirs, and so on.
func descendants(root int) []int {
	children := map[int][]int{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p.PID)
	}
	var found []int
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		found = append(found, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return found
}

// running counts those of pids that have not ended.
func running(pids []int) (n int) {
	for _, pid := range pids {
		if p, err := readProcess(pid); err == nil && !p.ended() {
			n++
		}
	}
	return n
}

// marked lists the processes that have variable, "NAME=value", in the
// environment they were started with.
func marked(variable string) []identity {
	var found []identity
	for _, p := range processes() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+variable+"\x00")) {
			found = append(found, p.identity)
		}
	}
	return found
}

// killProcess sends SIGKILL to the process that id names, and to no other that
// was given its PID meanwhile: os.FindProcess holds a descriptor of it.
func killProcess(id identity) {
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	defer p.Release()
	if alive(id) {
		_ = p.Kill()
	}
}

// self names this process.
func self() identity {
	pid := os.Getpid()
	start, _ := startTime(pid)
	return identity{PID: pid, Start: start}
}

// bootID changes at each boot of the machine.
func bootID() string {
	data, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data))
}

// pidNamespace names the set of processes that PIDs refer to: a container has
// its own.
func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}
