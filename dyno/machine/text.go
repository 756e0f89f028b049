package machine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// value returns what follows the first "key", space and separator at the
// beginning of a line, or "".
func value(text, key, separator string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, separator); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// kibibytes returns a size of /proc/meminfo, in bytes; 0 if it has none.
func kibibytes(text, key string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(value(text, key, ":"), " kB"), 10, 64)
	if err != nil || n > math.MaxUint64/1024 {
		return 0
	}
	return n * 1024
}

// chosen returns the choice in brackets: "always [madvise] never".
func chosen(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	choice, _, ok := strings.Cut(rest, "]")
	if !ok {
		return ""
	}
	return choice
}

// maxCPU bounds the numbers in lists; the kernel's own bound is 8192.
const maxCPU = 1 << 16

// parseCPUList reads a list as the kernel writes it, "0-3,8,10-11", in
// ascending order (cpuset(7), "List format").
func parseCPUList(text string) (cpus []int, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.ParseUint(low, 10, 31)
		to, err2 := strconv.ParseUint(high, 10, 31)
		if err1 != nil || err2 != nil || from > to || to > maxCPU || len(cpus) > 0 && int(from) <= cpus[len(cpus)-1] {
			return nil, fmt.Errorf("%.40q is not a list of CPUs", text)
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	return cpus, nil
}
