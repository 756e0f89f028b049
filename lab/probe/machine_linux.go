package probe

import "time"

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
	missing  absent
}

// NewMachine makes a probe. TCP counters are those of the network namespace
// that process pid is in; of dyno's own, if pid is 0.
func NewMachine(pid int) *MachineProbe {
	network := "/proc/self/net/"
	if pid != 0 {
		network = procPath(pid, "net/")
	}
	return &MachineProbe{
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
}

// Snapshot reads the machine. The error is that of the CPU times, without which
// there is nothing to tell; what else is lacking is named in the window.
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
}
