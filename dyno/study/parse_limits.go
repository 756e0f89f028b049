package study

import (
	"slices"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// Limits is what a subject may use at most. What is zero is not limited.
type Limits struct {
	CPUs   float64 `json:"cpus,omitempty"`         // seconds of CPU time per second
	Memory int64   `json:"memory_bytes,omitempty"` // what needs more is killed
	CPUSet []int   `json:"cpuset,omitempty"`       // CPUs to run on, ascending
}

// Bounds of limits; the kernel takes no quota below 1 % of a CPU.
const (
	leastCPUs   = 0.01
	mostCPUs    = 4096
	leastMemory = 1 << 20
	mostMemory  = 1 << 50
)

// memoryUnits are the units of sizes, the longest names first.
var memoryUnits = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}

// limitsAt reads the limits of a subject.
func limitsAt(at scope) *Limits {
	f, understood := at.fields("cpus", "memory", "cpuset")
	l := &Limits{}
	if v, ok := f["cpus"]; ok {
		l.CPUs = v.number(leastCPUs, mostCPUs)
	}
	if v, ok := f["memory"]; ok {
		l.Memory = v.size()
	}
	if v, ok := f["cpuset"]; ok {
		l.CPUSet = v.cpuSet()
	}
	if understood && len(f) == 0 {
		at.Report(i18n.New("study.expected-a-limit", "expected at least one of cpus, memory and cpuset"), i18n.Verbatim("cpus: 0.5, memory: 256MiB, cpuset: 0-1"))
	}
	return l
}

// size reads a number of bytes with its unit.
func (s scope) size() int64 {
	text, _ := s.Scalar()
	n, ok := parseSize(text)
	if !ok || n < leastMemory || n > mostMemory {
		s.Report(i18n.New("study.expected-size", "expected a size from 1MiB to 1024TiB, got %s", s.Describe()), i18n.New("study.size-form", "write it with a unit, such as 256MiB or 1.5GiB"))
		return 0
	}
	return n
}

// parseSize reads a number of bytes with its unit.
func parseSize(text string) (bytes int64, ok bool) {
	for _, unit := range memoryUnits {
		digits, found := strings.CutSuffix(text, unit.name)
		digits = strings.TrimSpace(digits)
		x, err := strconv.ParseFloat(digits, 64)
		if found && err == nil && x*unit.bytes <= mostMemory && strings.Trim(digits, "0123456789.") == "" {
			return int64(x * unit.bytes), true
		}
	}
	return 0, false
}

// cpuSet reads a list of CPUs as the kernel writes it, "0-3,8".
func (s scope) cpuSet() []int {
	text, _ := s.Scalar()
	cpus, ok := parseCPUSet(text)
	if !ok {
		s.Report(i18n.New("study.expected-cpus-got", "expected CPUs such as 0-3,8, got %s", s.Describe()))
	}
	return cpus
}

// parseCPUSet returns the CPUs of a list, ascending, each once.
func parseCPUSet(text string) (cpus []int, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.ParseUint(low, 10, 16)
		to, err2 := strconv.ParseUint(high, 10, 16)
		if err1 != nil || err2 != nil || from > to || to > maxCPU {
			return nil, false
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, int(cpu))
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), true
}

// cpuSetText is what [parseCPUSet] reads of CPUs in ascending order.
func cpuSetText(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		part := strconv.Itoa(cpus[i])
		if last > i {
			part += "-" + strconv.Itoa(cpus[last])
		}
		parts, i = append(parts, part), last+1
	}
	return strings.Join(parts, ",")
}
