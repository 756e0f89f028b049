// Package machine describes the machine a run happened on: what is needed to
// judge whether two runs may be compared, and what speaks against measuring
// there at all.
package machine

import "dyno.example/internal/i18n"

// Fingerprint is what a reader needs to judge whether two runs are comparable.
// Unknown strings are empty. It holds nothing that identifies a person or a
// network address.
type Fingerprint struct {
	OS             string         `json:"os"`     // "linux"
	Distribution   string         `json:"distro"` // "Debian GNU/Linux 12 (bookworm)"
	Kernel         string         `json:"kernel"` // uname -r
	Arch           string         `json:"arch"`   // GOARCH
	CPUModel       string         `json:"cpu_model"`
	CPUs           int            `json:"cpus"`          // online
	SMT            string         `json:"smt,omitempty"` // "on" or "off"
	NUMANodes      int            `json:"numa_nodes,omitempty"`
	Governor       string         `json:"governor,omitempty"` // of all CPUs; several are joined by ", "
	Turbo          string         `json:"turbo,omitempty"`    // "on" or "off"
	ClockSource    string         `json:"clock_source,omitempty"`
	Virtualization string         `json:"virtualization,omitempty"` // hypervisor vendor, empty on bare metal
	MemoryBytes    uint64         `json:"memory_bytes"`
	SwapBytes      uint64         `json:"swap_bytes"`
	SwapUsed       uint64         `json:"swap_used,omitempty"`      // bytes, when it was read
	NUMABalancing  string         `json:"numa_balancing,omitempty"` // "on" or "off"
	Cgroup         string         `json:"cgroup,omitempty"`         // "v1", "v2", "hybrid"
	Congestion     string         `json:"tcp_congestion,omitempty"`
	Somaxconn      int            `json:"somaxconn,omitempty"`
	FileLimit      uint64         `json:"file_limit"`
	PortRange      string         `json:"port_range,omitempty"`
	THP            string         `json:"transparent_hugepages,omitempty"`
	GoVersion      string         `json:"go_version"` // that built dyno
	BootID         string         `json:"boot_id,omitempty"`
	Load1          float64        `json:"load1"`                 // one-minute load average, when it was read
	Busy           float64        `json:"busy"`                  // CPUs that other programs used while dyno looked on
	Steal          float64        `json:"steal,omitempty"`       // share of the CPU time since boot that the hypervisor took, 0 to 1
	StealApart     bool           `json:"steal_apart,omitempty"` // CPU times have none of it, by the kernel's configuration
	Remarks        []i18n.Message `json:"remarks,omitzero"`      // what speaks against measuring here, in plain words
	Missing        []string       `json:"missing,omitempty"`     // what could not be read, "name: why"
}
