package probe

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// tick is the unit of times in /proc. The kernel converts to 1/100 s, whatever
// its own clock rate is.
const tick = 10 * time.Millisecond

// cpuTimes is what is used of /proc/stat.
type cpuTimes struct {
	cpus        int    // online
	busy, steal uint64 // ticks, all CPUs
}

// parseCPUTimes reads /proc/stat. Time in guests counts as busy: the kernel has
// it in user time already.
func parseCPUTimes(data []byte) (c cpuTimes, err error) {
	found := false
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte("cpu")) {
			break // the lines of CPUs come first; those of interrupts are long
		}
		if !bytes.HasPrefix(line, []byte("cpu ")) {
			c.cpus++
			continue
		}
		found = true
		fields := bytes.Fields(line)
		if len(fields) < 9 {
			return c, fmt.Errorf("/proc/stat: %d fields for all CPUs, want at least 9", len(fields))
		}
		const user, nice, system, irq, softirq, steal = 1, 2, 3, 6, 7, 8
		for _, i := range []int{user, nice, system, irq, softirq, steal} {
			n, err := parseUint(fields[i])
			if err != nil {
				return c, fmt.Errorf("/proc/stat: field %d: %w", i, err)
			}
			if i == steal {
				c.steal = n
			} else {
				c.busy += n
			}
		}
	}
	if !found {
		return c, errors.New(`/proc/stat: no line "cpu"`)
	}
	return c, nil
}

// eachCPU is what every CPU has done, by its number; those that are offline have
// done nothing.
type eachCPU struct {
	tasks []time.Duration // running programs: user + nice + system
	irq   []time.Duration // serving interrupts
	steal []time.Duration
}

// maxCPU bounds the numbers of CPUs: more than Linux can have.
const maxCPU = 1 << 14

// parseEachCPU reads the lines of single CPUs in /proc/stat.
func parseEachCPU(data []byte) (c eachCPU, err error) {
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte("cpu"))
		if !ok {
			break
		}
		if rest[0] == ' ' {
			continue // all together
		}
		fields := bytes.Fields(rest)
		if len(fields) < 9 {
			return c, fmt.Errorf("/proc/stat: %d fields for a CPU, want at least 9", len(fields))
		}
		var n [9]uint64
		for i := range n {
			if n[i], err = parseUint(fields[i]); err != nil {
				return c, fmt.Errorf("/proc/stat: field %d of a CPU: %w", i, err)
			}
		}
		if n[0] >= maxCPU {
			return c, fmt.Errorf("/proc/stat: CPU %d is beyond all that there can be", n[0])
		}
		for uint64(len(c.tasks)) <= n[0] {
			c.tasks, c.irq, c.steal = append(c.tasks, 0), append(c.irq, 0), append(c.steal, 0)
		}
		const user, nice, system, irq, softirq, steal = 1, 2, 3, 6, 7, 8
		c.tasks[n[0]] = time.Duration(n[user]+n[nice]+n[system]) * tick
		c.irq[n[0]] = time.Duration(n[irq]+n[softirq]) * tick
		c.steal[n[0]] = time.Duration(n[steal]) * tick
	}
	return c, nil
}

// since is what every CPU did from a to c.
func (c eachCPU) since(a eachCPU) eachCPU {
	return eachCPU{tasks: grownEach(a.tasks, c.tasks), irq: grownEach(a.irq, c.irq), steal: grownEach(a.steal, c.steal)}
}

func grownEach(a, b []time.Duration) []time.Duration {
	var d []time.Duration
	if len(b) > 0 {
		d = make([]time.Duration, len(b))
	}
	for i := range b {
		if i < len(a) {
			d[i] = max(0, b[i]-a[i])
		}
	}
	return d
}

// parseLoad reads the one-minute average of /proc/loadavg.
func parseLoad(data []byte) (float64, error) {
	first, _, ok := bytes.Cut(data, []byte(" "))
	load, err := strconv.ParseFloat(string(first), 64)
	if !ok || err != nil || !(load >= 0 && load < 1e9) {
		return 0, fmt.Errorf("/proc/loadavg: %.20q is not a load average", data)
	}
	return load, nil
}

// parsePressure reads the total time in which some task was held up from a file
// of /proc/pressure (Documentation/accounting/psi.rst).
func parsePressure(data []byte) (time.Duration, error) {
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte("some "))
		if !ok {
			continue
		}
		for field := range bytes.FieldsSeq(rest) {
			if total, ok := bytes.CutPrefix(field, []byte("total=")); ok {
				n, err := parseUint(total)
				if err != nil || n > 1<<53 {
					return 0, fmt.Errorf("pressure: total: %.20q is not a number of µs", total)
				}
				return time.Duration(n) * time.Microsecond, nil
			}
		}
	}
	return 0, errors.New(`pressure: no line "some" with a total`)
}

// parseNetCounters reads named counters from /proc/net/snmp or /proc/net/netstat,
// where a line of names is followed by one of values, both starting with the
// protocol ("TcpExt:"). A counter that the kernel doesn't have is an error.
func parseNetCounters(data []byte, protocol string, names []string, values []uint64) error {
	header, counts, err := netLines(data, protocol)
	if err != nil {
		return err
	}
	for i, name := range names {
		at := -1
		for j, h := range header {
			if string(h) == name {
				at = j
			}
		}
		if at < 0 || at >= len(counts) {
			return fmt.Errorf("%s has no counter %s", protocol, name)
		}
		n, err := strconv.ParseInt(string(counts[at]), 10, 64) // some, such as MaxConn, are -1
		if err != nil {
			return fmt.Errorf("%s %s: %.20q is not a number", protocol, name, counts[at])
		}
		values[i] = uint64(max(n, 0))
	}
	return nil
}

// netLines returns the fields of the two lines of a protocol.
func netLines(data []byte, protocol string) (header, counts [][]byte, err error) {
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte(protocol))
		switch {
		case !ok:
		case header == nil:
			header = bytes.Fields(rest)
		default:
			return header, bytes.Fields(rest), nil
		}
	}
	return nil, nil, fmt.Errorf("no values for %s", protocol)
}

// parseSwapOut reads the pages swapped out since boot from /proc/vmstat.
func parseSwapOut(data []byte) (uint64, error) {
	n, err := parseLine(data, "pswpout ")
	if err != nil {
		return 0, fmt.Errorf("/proc/vmstat: %w", err)
	}
	return n, nil
}
