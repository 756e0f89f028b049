// Package machine describes the machine a run happened on.
package machine

// Fingerprint is what a reader needs to judge whether two runs are comparable.
// Unknown strings are empty. It holds nothing that identifies a person or a
// network address.
type Fingerprint struct {
	OS             string   `json:"os"`     // "linux"
	Distribution   string   `json:"distro"` // "Debian GNU/Linux 12 (bookworm)"
	Kernel         string   `json:"kernel"` // uname -r
	Arch           string   `json:"arch"`   // GOARCH
	CPUModel       string   `json:"cpu_model"`
	CPUs           int      `json:"cpus"` // online
	SMT            string   `json:"smt,omitempty"`
	NUMANodes      int      `json:"numa_nodes,omitempty"`
	Governor       string   `json:"governor,omitempty"`
	Turbo          string   `json:"turbo,omitempty"`
	ClockSource    string   `json:"clock_source,omitempty"`
	Virtualization string   `json:"virtualization,omitempty"` // hypervisor vendor, empty on bare metal
	MemoryBytes    uint64   `json:"memory_bytes"`
	SwapBytes      uint64   `json:"swap_bytes"`
	Cgroup         string   `json:"cgroup,omitempty"` // "v1", "v2", "hybrid"
	Congestion     string   `json:"tcp_congestion,omitempty"`
	Somaxconn      int      `json:"somaxconn,omitempty"`
	FileLimit      uint64   `json:"file_limit"`
	PortRange      string   `json:"port_range,omitempty"`
	THP            string   `json:"transparent_hugepages,omitempty"`
	GoVersion      string   `json:"go_version"` // that built dyno
	BootID         string   `json:"boot_id,omitempty"`
	Remarks        []string `json:"remarks,omitempty"` // what speaks against measuring here, in plain words
	Missing        []string `json:"missing,omitempty"` // what could not be read, "name: why"
}
