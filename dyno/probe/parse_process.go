package probe

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// The parsers in this package are pure functions over what the kernel wrote.
// Formats are those of proc(5) and of the kernel's Documentation folder.

// processStat is what is used of /proc/PID/stat.
type processStat struct {
	name         string
	zombie       bool
	running      bool // or waiting for a CPU
	parent       int
	minor, major uint64                                      // faults
	user, system uint64                                      // ticks
	reaped       struct{ minor, major, user, system uint64 } // of children that were waited for
	threads      int
	start        uint64 // ticks after boot: distinguishes a process from a later one with its PID
	rss          uint64 // pages
	processor    int    // that it was on last; 0 if the kernel doesn't report it
}

// parseProcessStat reads /proc/PID/stat. The command's name, the second field,
// may hold anything, also spaces, newlines and parentheses.
func parseProcessStat(data []byte) (s processStat, err error) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return s, errors.New("stat: no command name")
	}
	if begin := bytes.IndexByte(data[:end], '('); begin >= 0 {
		s.name = string(data[begin+1 : end])
	}
	const firstField = 3 // proc(5) counts from 1, the name being the second
	fields := bytes.Fields(data[end+1:])
	if len(fields) < 24-firstField+1 {
		return s, fmt.Errorf("stat: %d fields after the command name, want at least 22", len(fields))
	}
	number := func(i int) uint64 {
		n, e := parseUint(fields[i-firstField])
		if e != nil && err == nil {
			err = fmt.Errorf("stat: field %d: %w", i, e)
		}
		return n
	}
	s.threads = int(number(20))
	s.zombie = fields[0][0] == 'Z' && s.threads <= 1 || fields[0][0] == 'X'
	s.running = fields[0][0] == 'R'
	s.parent = int(number(4))
	s.minor, s.major = number(10), number(12)
	s.user, s.system = number(14), number(15)
	s.reaped.minor, s.reaped.major = number(11), number(13)
	s.reaped.user, s.reaped.system = number(16), number(17)
	s.start = number(22)
	s.rss = number(24)
	if len(fields) > 39-firstField {
		s.processor = int(number(39))
	}
	return s, err
}

// parseSwitches reads the context switches of /proc/PID/task/TID/status.
func parseSwitches(data []byte) (voluntary, involuntary uint64, err error) {
	if voluntary, err = parseLine(data, "voluntary_ctxt_switches:"); err != nil {
		return 0, 0, fmt.Errorf("status: %w", err)
	}
	if involuntary, err = parseLine(data, "nonvoluntary_ctxt_switches:"); err != nil {
		return 0, 0, fmt.Errorf("status: %w", err)
	}
	return voluntary, involuntary, nil
}

// parseSchedstat reads the time a thread was runnable but not running from
// /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst).
func parseSchedstat(data []byte) (waited time.Duration, err error) {
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0, fmt.Errorf("schedstat: %d fields, want 3", len(fields))
	}
	n, err := parseUint(fields[1])
	if err != nil {
		return 0, fmt.Errorf("schedstat: field 2: %w", err)
	}
	return time.Duration(n), nil
}

// appendPIDs reads /proc/PID/task/TID/children and appends to pids.
func appendPIDs(pids []int, data []byte) ([]int, error) {
	for field := range bytes.FieldsSeq(data) {
		n, err := parseUint(field)
		if err != nil {
			return pids, fmt.Errorf("children: %w", err)
		}
		pids = append(pids, int(n))
	}
	return pids, nil
}

// parseLine finds the line that starts with key and returns the number after it.
func parseLine(data []byte, key string) (uint64, error) {
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(key)); ok {
			fields := bytes.Fields(rest)
			if len(fields) == 0 {
				return 0, fmt.Errorf("%s has no value", key)
			}
			n, err := parseUint(fields[0])
			if err != nil {
				return 0, fmt.Errorf("%s %w", key, err)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("no line %q", key)
}

// parseUint reads a decimal number that fits an int64: the kernel's counters
// do, and sums of them are kept as such.
func parseUint(field []byte) (uint64, error) {
	n, err := strconv.ParseUint(string(field), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%.20q is not a number", field)
	}
	return n, nil
}
