package probe

import (
	"bytes"
	"fmt"
	"slices"
	"time"
)

// MachineProbe reads the whole machine, and the network that a process sees.
// It belongs to one goroutine.
type MachineProbe struct {
	files    *reader
	stat     procFile
	loadavg  procFile
	vmstat   procFile
	pressure [3]procFile
	snmp     procFile
	netstat  procFile
	clocks   []procFile // of the CPUs whose clock rate is watched
	self     *SelfProbe
	programs *ProgramsProbe
	missing  absent
}

// NewMachine makes a probe. TCP counters are those of the network namespace that
// process pid is in; of dyno's own, if pid is 0. The clock rates of the CPUs given are
// read where the machine has them (cpufreq): virtual ones don't.
func NewMachine(pid int, cpus ...int) *MachineProbe {
	network := "/proc/self/net/"
	if pid != 0 {
		network = procPath(pid, "net/")
	}
	m := &MachineProbe{
		files:   newReader(maxOpenFiles),
		stat:    procFile{path: "/proc/stat"},
		loadavg: procFile{path: "/proc/loadavg"},
		vmstat:  procFile{path: "/proc/vmstat"},
		pressure: [3]procFile{
			{path: "/proc/pressure/cpu"}, {path: "/proc/pressure/memory"}, {path: "/proc/pressure/io"},
		},
		snmp:    procFile{path: network + "snmp"},
		netstat: procFile{path: network + "netstat"},
	}
	for _, cpu := range cpus {
		m.clocks = append(m.clocks, procFile{path: fmt.Sprintf("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)})
	}
	return m
}

// frequency is the mean clock rate of the CPUs watched in MHz, 0 if one of them isn't
// known. That is no error: most machines in the cloud have none.
func (m *MachineProbe) frequency() float64 {
	sum := 0.0
	for i := range m.clocks {
		data, err := m.files.read(&m.clocks[i])
		if err != nil {
			m.closeClocks()
			m.clocks = nil // and never read again
			return 0
		}
		kilohertz, err := parseUint(bytes.TrimSpace(data))
		if err != nil || kilohertz == 0 {
			return 0
		}
		sum += float64(kilohertz) / 1e3
	}
	return sum / float64(max(1, len(m.clocks)))
}

// WatchPrograms makes the snapshots include what this process, with the helpers that work for
// it, and other programs use. The processes measured, with all that are under them, are none of the
// latter.
func (m *MachineProbe) WatchPrograms(helpers []int, measured ...int) {
	m.self, m.programs = NewSelf(helpers...), NewPrograms(slices.Concat(helpers, measured)...)
}

// others reads this process and all other programs.
func (m *MachineProbe) others(t *MachineTotals) {
	if m.programs == nil {
		return
	}
	self, err := m.self.Snapshot()
	if err == nil {
		t.self = &self
	}
	m.missing.note("self", err)
	programs, err := m.programs.Snapshot()
	if err == nil {
		t.programs = &programs
		err = m.programs.Missing()
	}
	m.missing.note("programs", err)
}

// Snapshot reads the machine. The error is that of the CPU times, without which there
// is no snapshot; what else is lacking is named in the window.
func (m *MachineProbe) Snapshot() (t MachineTotals, err error) {
	m.missing.clear()
	data, err := m.files.read(&m.stat)
	if err != nil {
		return t, err
	}
	c, err := parseCPUTimes(data)
	if err != nil {
		return t, err
	}
	if t.each, err = parseEachCPU(data); err != nil {
		return t, err
	}
	m.others(&t)
	t.cpus, t.busy, t.steal = c.cpus, time.Duration(c.busy)*tick, time.Duration(c.steal)*tick
	m.missing.note("load1", m.with(&m.loadavg, func(data []byte) (err error) {
		t.load1, err = parseLoad(data)
		return err
	}))
	m.missing.note("swap_out_pages", m.with(&m.vmstat, func(data []byte) (err error) {
		t.swapOut, err = parseSwapOut(data)
		return err
	}))
	for i, name := range []string{"pressure_cpu", "pressure_memory", "pressure_io"} {
		m.missing.note(name, m.with(&m.pressure[i], func(data []byte) (err error) {
			t.pressure[i], err = parsePressure(data)
			return err
		}))
	}
	m.network(&t)
	t.frequency = m.frequency()
	t.missing = m.missing.list()
	return t, nil
}

// network reads the counters of TCP.
func (m *MachineProbe) network(t *MachineTotals) {
	m.missing.note("tcp_retransmits", m.with(&m.snmp, func(data []byte) error {
		var v [1]uint64
		err := parseNetCounters(data, "Tcp:", []string{"RetransSegs"}, v[:])
		t.retransmits = v[0]
		return err
	}))
	m.missing.note("listen_drops", m.with(&m.netstat, func(data []byte) error {
		var v [2]uint64
		err := parseNetCounters(data, "TcpExt:", []string{"ListenDrops", "ListenOverflows"}, v[:])
		t.listenDrops, t.listenOverrun = v[0], v[1]
		return err
	}))
}

// with reads f and hands it to parse.
func (m *MachineProbe) with(f *procFile, parse func([]byte) error) error {
	data, err := m.files.read(f)
	if err != nil {
		return err
	}
	return parse(data)
}

// Close releases the files that are kept open.
func (m *MachineProbe) Close() {
	for _, f := range []*procFile{&m.stat, &m.loadavg, &m.vmstat, &m.snmp, &m.netstat, &m.pressure[0], &m.pressure[1], &m.pressure[2]} {
		m.files.close(f)
	}
	m.closeClocks()
	if m.programs != nil {
		m.self.Close()
		m.programs.Close()
	}
}

func (m *MachineProbe) closeClocks() {
	for i := range m.clocks {
		m.files.close(&m.clocks[i])
	}
}
