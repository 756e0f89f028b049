package probe

import "time"

// StealProbe reads only what the hypervisor took from the machine. It belongs
// to one goroutine.
type StealProbe struct {
	files *reader
	stat  procFile
}

// NewSteal makes a probe. Nothing is read before the first Total.
func NewSteal() *StealProbe {
	return &StealProbe{files: newReader(1), stat: procFile{path: "/proc/stat"}}
}

// Total is the CPU time taken since the machine was booted, all CPUs together,
// in steps of 10 ms.
func (p *StealProbe) Total() (time.Duration, error) {
	data, err := p.files.read(&p.stat)
	if err != nil {
		return 0, err
	}
	c, err := parseCPUTimes(data)
	return time.Duration(c.steal) * tick, err
}

// Close releases the file that is kept open.
func (p *StealProbe) Close() { p.files.close(&p.stat) }
