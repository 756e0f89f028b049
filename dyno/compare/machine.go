package compare

import (
	"fmt"
	"strconv"

	"dyno.example/dyno/machine"
)

// Property is a named fact about a machine.
type Property struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// Hardware are the facts that make a machine another one. A fingerprint holds
// nothing that identifies a machine, so two of the same make can't be told apart
// by them, nor can a virtual machine before and after it was moved.
func Hardware(f *machine.Fingerprint) []Property {
	const gibibyte = 1 << 30
	list := []Property{
		{"os", f.OS}, {"arch", f.Arch}, {"cpu", f.CPUModel}, {"cpus", strconv.Itoa(f.CPUs)}, {"smt", f.SMT},
		{"virtualization", f.Virtualization},
		// The kernel keeps some of it, and not always as much.
		{"memory", fmt.Sprintf("%d GiB", (f.MemoryBytes+gibibyte/2)/gibibyte)},
	}
	if f.NUMANodes > 0 {
		list = append(list, Property{"numa_nodes", strconv.Itoa(f.NUMANodes)})
	}
	return list
}

// settings are the facts that can be changed, and that change figures.
func settings(f *machine.Fingerprint) []Property {
	return []Property{
		{"distribution", f.Distribution}, {"kernel", f.Kernel}, {"governor", f.Governor}, {"turbo", f.Turbo},
		{"clock source", f.ClockSource}, {"NUMA balancing", f.NUMABalancing}, {"cgroup", f.Cgroup},
		{"TCP congestion", f.Congestion}, {"somaxconn", strconv.Itoa(f.Somaxconn)}, {"file limit", strconv.FormatUint(f.FileLimit, 10)},
		{"port range", f.PortRange}, {"huge pages", f.THP}, {"swap", strconv.FormatUint(f.SwapBytes>>20, 10) + " MiB"},
		{"dyno built with", f.GoVersion}, {"boot", f.BootID},
	}
}

// HardwareDifferences are the facts that differ between two machines; nil if
// they can't be told apart.
func HardwareDifferences(old, new []Property) []Condition {
	return differing(old, new)
}

// differing pairs facts by name.
func differing(old, new []Property) []Condition {
	values := make(map[string]string)
	for _, p := range old {
		values[p.Name] = p.Value
	}
	var list []Condition
	for _, p := range new {
		if before := values[p.Name]; before != p.Value {
			list = append(list, Condition{p.Name, before, p.Value})
		}
		delete(values, p.Name)
	}
	for _, p := range old {
		if before := values[p.Name]; before != "" {
			list = append(list, Condition{p.Name, before, ""})
		}
	}
	return list
}
