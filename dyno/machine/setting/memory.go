package setting

import (
	"fmt"
	"strings"
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
		return mind("always", "memory use and pauses depend on how fragmented memory is")
	}
	return good(m.THP)
}

func swap(m *Machine) Value {
	switch {
	case m.MemoryBytes == 0:
		return m.unseen(pathMemory)
	case m.SwapBytes == 0:
		return good("none")
	}
	text := fmt.Sprintf("%d MiB, %d MiB used", m.SwapBytes>>20, m.SwapUsed>>20)
	if m.SwapUsed > 0 {
		return bad(text, "free some memory, then sudo swapoff -a && sudo swapon -a")
	}
	return mind(text, "nothing is swapped out yet; windows in which something is are marked")
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
		return good(fmt.Sprint(n))
	}
	return mind(fmt.Sprint(n), "memory that is not used for a while is swapped out")
}

func virtualisation(m *Machine) Value {
	const notable = 0.001
	switch {
	case m.Virtualization == "":
		return good("none that can be seen")
	case m.Steal >= notable:
		return bad(fmt.Sprintf("%s, %.1f %% steal since boot", m.Virtualization, 100*m.Steal), "its pauses are in the tail: run on a machine of your own, or repeat more")
	}
	return mind(m.Virtualization+", under 0.1 % steal since boot", "compare only runs made side by side")
}

// cgroupLimits looks for limits on the cgroup that this process is in, and on
// those above it.
func cgroupLimits(m *Machine) Value {
	if m.Cgroup == "" {
		return unknown("no cgroups are mounted at /sys/fs/cgroup")
	}
	quota, memory := m.ownLimits()
	var found []string
	if quota != "" {
		found = append(found, "CPU quota "+quota)
	}
	if memory != "" {
		found = append(found, "memory "+memory)
	}
	text := m.Cgroup + ", no limit"
	if len(found) > 0 {
		text = m.Cgroup + ", " + strings.Join(found, ", ")
	}
	switch {
	case quota != "":
		return bad(text, "dyno itself runs under it and will be throttled: start it outside")
	case memory != "":
		return mind(text, "generator and subject share it")
	}
	return good(text)
}
