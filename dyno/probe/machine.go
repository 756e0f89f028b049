package probe

import "time"

// MachineTotals is what the machine has done since it was booted.
type MachineTotals struct {
	cpus          int
	busy, steal   time.Duration
	load1         float64
	pressure      [3]time.Duration // CPU, memory, I/O
	retransmits   uint64
	listenDrops   uint64
	listenOverrun uint64
	swapOut       uint64
	frequency     float64 // MHz, now
	each          eachCPU
	self          *Self
	programs      *ProgramTotals
	missing       []string
}

// Since returns what the machine did between a and t.
func (t MachineTotals) Since(a MachineTotals) Machine {
	m := Machine{
		CPUs:          t.cpus,
		Busy:          max(0, t.busy-a.busy),
		Steal:         max(0, t.steal-a.steal), // hypervisors have been seen to take some back
		Load1:         t.load1,
		PressureCPU:   max(0, t.pressure[0]-a.pressure[0]),
		PressureMem:   max(0, t.pressure[1]-a.pressure[1]),
		PressureIO:    max(0, t.pressure[2]-a.pressure[2]),
		Retransmits:   grown(a.retransmits, t.retransmits),
		ListenDrops:   grown(a.listenDrops, t.listenDrops),
		ListenOverrun: grown(a.listenOverrun, t.listenOverrun),
		SwapOut:       grown(a.swapOut, t.swapOut),
		Frequency:     t.frequency,
	}
	each := t.each.since(a.each)
	m.TasksByCPU, m.IRQByCPU, m.StealByCPU = each.tasks, each.irq, each.steal
	if t.self != nil && a.self != nil {
		m.Self = &Self{CPU: max(0, t.self.CPU-a.self.CPU), RunQueue: max(0, t.self.RunQueue-a.self.RunQueue)}
	}
	if t.programs != nil && a.programs != nil {
		p := t.programs.Since(*a.programs)
		m.Programs = &p
	}
	return m
}
