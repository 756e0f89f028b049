package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Reader reads a Linux system's description of itself.
type Reader struct {
	Root fs.FS // the root folder, holding proc, sys and etc
}

// Read collects what the files below Root say. What a file doesn't say is empty
// and named in Missing; there are no remarks yet.
func (r Reader) Read() Fingerprint {
	d := document{root: r.Root}
	d.OS, d.Arch, d.GoVersion = "linux", runtime.GOARCH, runtime.Version()
	d.system()
	d.processor()
	d.StealApart = d.stealApart()
	d.frequency()
	d.memory()
	d.network()
	d.Cgroup = d.cgroup()
	slices.Sort(d.Missing)
	return d.Fingerprint
}

// document is a fingerprint being filled in.
type document struct {
	Fingerprint
	root fs.FS
}

// miss notes that name could not be found out.
func (d *document) miss(name, why string) {
	d.Missing = append(d.Missing, name+": "+why)
}

// text returns what the file at path says, without space around it.
func (d *document) text(path string) (string, error) {
	data, err := fs.ReadFile(d.root, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no /%s", path)
	}
	if err != nil {
		return "", err // names the path
	}
	return strings.TrimSpace(string(data)), nil
}

// read returns what the file at path says, or notes that name is missing.
func (d *document) read(name, path string) string {
	s, err := d.text(path)
	if err != nil {
		d.miss(name, err.Error())
	}
	return s
}

// onOff reads a switch: which value means on.
func (d *document) onOff(path, on string) (string, error) {
	s, err := d.text(path)
	switch {
	case err != nil:
		return "", err
	case s == on:
		return "on", nil
	}
	return "off", nil
}

func (d *document) system() {
	release := d.read("distro", "etc/os-release")
	d.Distribution = value(release, "PRETTY_NAME", "=")
	if unquoted, err := strconv.Unquote(d.Distribution); err == nil {
		d.Distribution = unquoted
	}
	d.Kernel = d.read("kernel", "proc/sys/kernel/osrelease")
	d.ClockSource = d.read("clock_source", "sys/devices/system/clocksource/clocksource0/current_clocksource")
	d.BootID = d.read("boot_id", "proc/sys/kernel/random/boot_id")
	d.THP = chosen(d.read("transparent_hugepages", "sys/kernel/mm/transparent_hugepage/enabled"))
}

func (d *document) processor() {
	info := d.read("cpu_model", "proc/cpuinfo")
	d.CPUModel = value(info, "model name", ":")
	if d.CPUModel == "" { // ARM
		if part := value(info, "CPU part", ":"); part != "" {
			d.CPUModel = "implementer " + value(info, "CPU implementer", ":") + ", part " + part
		}
	}
	flags := strings.Fields(value(info, "flags", ":"))
	d.Virtualization = d.hypervisor(slices.Contains(flags, "hypervisor"))

	online, err := parseCPUList(d.read("cpus", "sys/devices/system/cpu/online"))
	if err != nil {
		d.miss("cpus", err.Error())
	}
	if d.CPUs = len(online); d.CPUs == 0 {
		d.CPUs = runtime.NumCPU()
	}
	if nodes, err := parseCPUList(d.read("numa_nodes", "sys/devices/system/node/online")); err == nil {
		d.NUMANodes = len(nodes)
	}
	if d.SMT, err = d.onOff("sys/devices/system/cpu/smt/active", "1"); err != nil {
		d.miss("smt", err.Error())
	}
	d.NUMABalancing = d.numaBalancing()
}

// numaBalancing reads a set of bits, any of which has the kernel move memory
// (admin-guide/sysctl/kernel.rst). Machines of one node have none.
func (d *document) numaBalancing() string {
	switch bits, err := d.text("proc/sys/kernel/numa_balancing"); {
	case err != nil:
		return ""
	case bits == "0":
		return "off"
	}
	return "on"
}

// hypervisor names what the machine runs on. Bare metal may have the firmware
// of a cloud too, so on x86 the CPU's own word goes first; others don't have it.
func (d *document) hypervisor(flagged bool) string {
	if kind, err := d.text("sys/hypervisor/type"); err == nil && kind != "" {
		return kind
	}
	vendor, _ := d.text("sys/class/dmi/id/sys_vendor")
	product, _ := d.text("sys/class/dmi/id/product_name")
	firmware := strings.TrimSpace(vendor + " " + product)
	switch {
	case flagged && firmware != "":
		return firmware
	case flagged:
		return "unknown hypervisor"
	case strings.Contains(vendor, "QEMU") || strings.Contains(product, "Virtual Machine"):
		return firmware
	}
	return ""
}

func (d *document) frequency() {
	paths, _ := fs.Glob(d.root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var governors []string
	for _, path := range paths {
		if g, err := d.text(path); err == nil && !slices.Contains(governors, g) {
			governors = append(governors, g)
		}
	}
	slices.Sort(governors)
	if d.Governor = strings.Join(governors, ", "); d.Governor == "" {
		d.miss("governor", "the kernel doesn't control the CPUs' frequency")
	}
	var err error
	if d.Turbo, err = d.onOff(noTurbo, "0"); err != nil {
		if d.Turbo, err = d.onOff(boost, "1"); err != nil {
			d.miss("turbo", "the kernel doesn't control the CPUs' frequency")
		}
	}
}

// Where the kernel's frequency drivers have the switch for turbo.
const (
	noTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo"
	boost   = "sys/devices/system/cpu/cpufreq/boost"
)

func (d *document) memory() {
	info := d.read("memory_bytes", "proc/meminfo")
	d.MemoryBytes = kibibytes(info, "MemTotal")
	d.SwapBytes = kibibytes(info, "SwapTotal")
	d.SwapUsed = d.SwapBytes - min(d.SwapBytes, kibibytes(info, "SwapFree"))
}

func (d *document) network() {
	d.Congestion = d.read("tcp_congestion", "proc/sys/net/ipv4/tcp_congestion_control")
	d.PortRange = strings.Join(strings.Fields(d.read("port_range", "proc/sys/net/ipv4/ip_local_port_range")), "-")
	if s := d.read("somaxconn", "proc/sys/net/core/somaxconn"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			d.miss("somaxconn", fmt.Sprintf("%q is not a number", s))
		}
		d.Somaxconn = n
	}
}

// cgroup distinguishes the versions by what is mounted where; see
// https://systemd.io/CGROUP_DELEGATION.
func (d *document) cgroup() string {
	has := func(path string) bool { _, err := fs.Stat(d.root, path); return err == nil }
	switch {
	case has("sys/fs/cgroup/cgroup.controllers"):
		return "v2"
	case has("sys/fs/cgroup/unified/cgroup.controllers"):
		return "hybrid"
	case has("sys/fs/cgroup/cpu"):
		return "v1"
	}
	d.miss("cgroup", "none is mounted at /sys/fs/cgroup")
	return ""
}
