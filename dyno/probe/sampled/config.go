package sampled

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// Config says what is sampled.
type Config struct {
	CPUs []int
	// Wanted is asked of each process that is seen, by its working directory when it was
	// first seen; a few times, if it says no.
	Wanted func(pid int, dir string) bool
	// Moments keeps when and in which thread each sample was taken, for [Profile].
	Moments bool
}

// farthest is how many parents of a process are looked at.
const farthest = 32

// Below reports whether a process is one of some, or was started by one of them or of those
// below, as far as the processes between still live.
func Below(pid int, roots []int) bool {
	for range farthest {
		if pid <= 1 {
			return false
		}
		if slices.Contains(roots, pid) {
			return true
		}
		pid = parent(pid)
	}
	return false
}

// parent is the process that started another (proc_pid_stat(5)); 0 if that isn't known.
func parent(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" ")) // its name may hold anything
	fields := bytes.Fields(after)
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(string(fields[1]))
	return n
}
