package setting

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// unlimited is from where on version 1 means no limit of memory: it writes the
// largest number of pages.
const unlimited = 1 << 60

// ownLimits returns the CPU quota and the memory limit that are closest to this
// process, "" for none (cgroups(7)). Cgroups above the one that a container sees
// as its root can't be seen.
func (m *Machine) ownLimits() (quota, memory string) {
	membership, _ := m.text("proc/self/cgroup")
	for line := range strings.Lines(membership) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			m.limitsAbove(controller, parts[2], &quota, &memory)
		}
	}
	return quota, memory
}

// limitsAbove looks in a cgroup of one controller's hierarchy ("" for version
// 2's) and in all above it for what was not found yet.
func (m *Machine) limitsAbove(controller, group string, quota, memory *string) {
	root := "sys/fs/cgroup"
	switch {
	case controller == "" && m.Cgroup == "hybrid":
		root = path.Join(root, "unified")
	case controller != "":
		root = path.Join(root, controller)
	}
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		dir := path.Join(root, group)
		if *quota == "" {
			*quota = m.quota(dir)
		}
		if *memory == "" {
			*memory = m.memoryLimit(dir)
		}
		if group == "/" {
			return
		}
	}
}

func (m *Machine) quota(dir string) string {
	if text, ok := m.text(path.Join(dir, "cpu.max")); ok { // "50000 100000" or "max 100000"
		limit, period, _ := strings.Cut(text, " ")
		return share(limit, period)
	}
	limit, _ := m.text(path.Join(dir, "cpu.cfs_quota_us")) // -1 for none
	period, _ := m.text(path.Join(dir, "cpu.cfs_period_us"))
	return share(limit, period)
}

func share(limit, period string) string {
	l, err1 := strconv.ParseFloat(limit, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || l <= 0 || p <= 0 {
		return ""
	}
	return fmt.Sprintf("%.3g CPUs", l/p)
}

func (m *Machine) memoryLimit(dir string) string {
	for _, file := range []string{"memory.max", "memory.limit_in_bytes"} {
		if n, ok := m.number(path.Join(dir, file)); ok && n > 0 && n < unlimited {
			return mebibytes(uint64(n))
		}
	}
	return ""
}
