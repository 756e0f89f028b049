package probe

import "time"

// Clocks reads the CPU time of processes, and nothing else of them: so soon that it can be
// done while they are under load. It is of those that a [ProcessProbe] had found, and safe for
// concurrent use.
type Clocks struct{ pids []int }

// Clocks are those of the processes that the last snapshot saw.
func (p *ProcessProbe) Clocks() *Clocks {
	c := &Clocks{}
	for _, m := range p.members {
		if !m.stat.zombie {
			c.pids = append(c.pids, m.pid)
		}
	}
	return c
}

// Read is what these have used since they began, ended threads included, to the nanosecond;
// nothing of a process that has ended.
func (c *Clocks) Read() (used time.Duration) {
	for _, pid := range c.pids {
		cpu, _ := processCPU(pid) // that it has ended is seen in the next snapshot
		used += cpu
	}
	return used
}
