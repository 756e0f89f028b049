package compare

import (
	"strconv"

	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

// Property is a named fact about a machine.
type Property struct {
	Name  i18n.Message `yaml:"name"`
	Value i18n.Message `yaml:"value"`
}

// Hardware are the facts that make a machine another one. A fingerprint holds
// nothing that identifies a machine, so two of the same make can't be told apart
// by them, nor can a virtual machine before and after it was moved.
func Hardware(f *machine.Fingerprint) []Property {
	const gibibyte = 1 << 30
	list := []Property{
		{i18n.Verbatim("os"), i18n.Verbatim(f.OS)}, {i18n.Verbatim("arch"), i18n.Verbatim(f.Arch)}, {i18n.Verbatim("cpu"), i18n.Verbatim(f.CPUModel)}, {i18n.Verbatim("cpus"), i18n.Verbatim(strconv.Itoa(f.CPUs))}, {i18n.Verbatim("smt"), i18n.Verbatim(f.SMT)},
		{i18n.Verbatim("virtualization"), i18n.Verbatim(f.Virtualization)},
		// The kernel keeps some of it, and not always as much.
		{i18n.Verbatim("memory"), i18n.Verbatim(strconv.FormatUint(uint64(f.MemoryBytes+gibibyte/2)/gibibyte, 10) + " GiB")},
	}
	if f.NUMANodes > 0 {
		list = append(list, Property{i18n.Verbatim("numa_nodes"), i18n.Verbatim(strconv.Itoa(f.NUMANodes))})
	}
	return list
}

// settings are the facts that can be changed, and that change figures.
func settings(f *machine.Fingerprint) []Property {
	return []Property{
		{i18n.Verbatim("distribution"), i18n.Verbatim(f.Distribution)}, {i18n.Verbatim("kernel"), i18n.Verbatim(f.Kernel)}, {i18n.Verbatim("governor"), i18n.Verbatim(f.Governor)}, {i18n.Verbatim("turbo"), i18n.Verbatim(f.Turbo)},
		{i18n.New("compare.clock-source", "clock source"), i18n.Verbatim(f.ClockSource)}, {i18n.New("setting.numa-balancing", "NUMA balancing"), i18n.Verbatim(f.NUMABalancing)}, {i18n.Verbatim("cgroup"), i18n.Verbatim(f.Cgroup)},
		{i18n.New("setting.tcp-congestion", "TCP congestion"), i18n.Verbatim(f.Congestion)}, {i18n.Verbatim("somaxconn"), i18n.Verbatim(strconv.Itoa(f.Somaxconn))}, {i18n.New("compare.file-limit", "file limit"), i18n.Verbatim(strconv.FormatUint(f.FileLimit, 10))},
		{i18n.New("compare.port-range", "port range"), i18n.Verbatim(f.PortRange)}, {i18n.New("compare.huge-pages", "huge pages"), i18n.Verbatim(f.THP)}, {i18n.Verbatim("swap"), i18n.Join(strconv.FormatUint(f.SwapBytes>>20, 10), " MiB")},
		{i18n.New("compare.dyno-built", "dyno built with"), i18n.Verbatim(f.GoVersion)}, {i18n.Verbatim("boot"), i18n.Verbatim(f.BootID)},
	}
}

// HardwareDifferences are the facts that differ between two machines; nil if
// they can't be told apart.
func HardwareDifferences(old, new []Property) []Condition {
	return differing(old, new)
}

// differing pairs facts by name.
func differing(old, new []Property) []Condition {
	values := make(map[string]i18n.Message)
	for _, p := range old {
		values[p.Name.String()] = p.Value
	}
	var list []Condition
	for _, p := range new {
		if before := values[p.Name.String()]; before.String() != p.Value.String() {
			list = append(list, Condition{p.Name, before, p.Value})
		}
		delete(values, p.Name.String())
	}
	for _, p := range old {
		if before := values[p.Name.String()]; !before.IsZero() {
			list = append(list, Condition{p.Name, before, i18n.Message{}})
		}
	}
	return list
}
