package setting

import (
	"fmt"

	"dyno.example/internal/i18n"
)

// Files of memory settings, below the root folder.
const (
	pathTHP        = "sys/kernel/mm/transparent_hugepage/enabled"
	pathSwappiness = "proc/sys/vm/swappiness"
	pathMemory     = "proc/meminfo"
)

func hugePages(m *Machine) Value {
	switch m.THP {
	case "":
		return m.unseen(pathTHP)
	case "always":
		return mind(i18n.Verbatim("always"), i18n.New("setting.fragmentation-matters", "memory use and pauses depend on how fragmented memory is"))
	}
	return good(i18n.Verbatim(m.THP))
}

func swap(m *Machine) Value {
	switch {
	case m.MemoryBytes == 0:
		return m.unseen(pathMemory)
	case m.SwapBytes == 0:
		return good(i18n.New("study.none", "none"))
	}
	text := i18n.New("setting.mib-mib-used", "%d MiB, %d MiB used", m.SwapBytes>>20, m.SwapUsed>>20)
	if m.SwapUsed > 0 {
		return bad(text, i18n.New("setting.free-swap", "free some memory, then sudo swapoff -a && sudo swapon -a"))
	}
	return mind(text, i18n.New("setting.nothing-swapped", "nothing is swapped out yet; windows in which something is are marked"))
}

func mebibytes(n uint64) string { return fmt.Sprintf("%d MiB", n>>20) }

// fewSwaps is the swappiness up to which only what must be is swapped out.
const fewSwaps = 10

func swappiness(m *Machine) Value {
	n, ok := m.number(pathSwappiness)
	switch {
	case !ok:
		return m.unseen(pathSwappiness)
	case n <= fewSwaps || m.MemoryBytes > 0 && m.SwapBytes == 0:
		return good(i18n.Verbatim(fmt.Sprint(n)))
	}
	return mind(i18n.Verbatim(fmt.Sprint(n)), i18n.New("setting.idle-memory-swapped", "memory that is not used for a while is swapped out"))
}

func virtualisation(m *Machine) Value {
	const notable = 0.001
	switch {
	case m.Virtualization == "":
		return good(i18n.New("setting.none-can-seen", "none that can be seen"))
	case m.Steal >= notable:
		return bad(i18n.New("setting.steal-since-boot", "%s, %.1f %% steal since boot", m.Virtualization, 100*m.Steal), i18n.New("setting.steal-in-tail", "its pauses are in the tail: run on a machine of your own, or repeat more"))
	}
	return mind(i18n.New("setting.under-steal", "%s, under 0.1 %% steal since boot", m.Virtualization), i18n.New("setting.compare-side-by-side", "compare only runs made side by side"))
}

// cgroupLimits looks for limits on the cgroup that this process is in, and on
// those above it.
func cgroupLimits(m *Machine) Value {
	if m.Cgroup == "" {
		return unknown(i18n.New("setting.no-cgroups", "no cgroups are mounted at /sys/fs/cgroup"))
	}
	quota, memory := m.ownLimits()
	var found []i18n.Message
	if quota != "" {
		found = append(found, i18n.New("setting.cpu-quota-of", "CPU quota %s", quota))
	}
	if memory != "" {
		found = append(found, i18n.New("setting.memory-of", "memory %s", memory))
	}
	text := i18n.Join(m.Cgroup, i18n.New("setting.no-limit", ", no limit"))
	if len(found) > 0 {
		text = i18n.List(", ", append([]i18n.Message{i18n.Verbatim(m.Cgroup)}, found...)...)
	}
	switch {
	case quota != "":
		return bad(text, i18n.New("setting.dyno-throttled", "dyno itself runs under it and will be throttled: start it outside"))
	case memory != "":
		return mind(text, i18n.New("setting.cpu-shared", "generator and subject share it"))
	}
	return good(text)
}
