package subject

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// quotaPeriod is the kernel's default, in µs: the subject may use its share of
// each period at any time in it.
const quotaPeriod = 100_000

// controllers are those of cgroups that the limits need.
func (l *Limits) controllers() (needed []string) {
	if l.CPUs > 0 {
		needed = append(needed, "cpu")
	}
	if l.Memory > 0 {
		needed = append(needed, "memory")
	}
	if len(l.CPUSet) > 0 {
		needed = append(needed, "cpuset")
	}
	return needed
}

// limitGroup is a cgroup with limits: of version 2 the one that holds the subject
// anyway, of version 1 one more for each controller.
type limitGroup struct {
	*cgroup
	controller string // of version 1
}

// limitedCgroup makes a cgroup of version 2 with the limits. It must not be
// below the cgroup of this process, which can't have both processes and
// controllers for those below (kernel, admin-guide/cgroup-v2.rst, "No Internal
// Process Constraint"), so it is made below the closest one above that can.
func limitedCgroup(tree cgroupTree, name string, l *Limits) (*cgroup, error) {
	for dir := tree.own; ; dir = filepath.Dir(dir) {
		err := enable(dir, l.controllers())
		if err == nil {
			g := &cgroup{path: filepath.Join(dir, name), parent: dir, v2: true}
			if err = os.Mkdir(g.path, 0o755); err == nil {
				if err = l.writeV2(g.path); err == nil {
					return g, nil
				}
				g.remove()
			}
		}
		if dir == tree.point || dir == filepath.Dir(dir) {
			return nil, err
		}
	}
}

// enable makes sure that cgroups below dir have the controllers.
func enable(dir string, controllers []string) error {
	on, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	if err != nil {
		return err
	}
	var missing []string
	for _, c := range controllers {
		if !slices.Contains(strings.Fields(string(on)), c) {
			missing = append(missing, "+"+c)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	offered, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return err
	}
	for _, c := range missing {
		if !slices.Contains(strings.Fields(string(offered)), c[1:]) {
			return fmt.Errorf("%s does not have the %s controller", dir, c[1:])
		}
	}
	return os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte(strings.Join(missing, " ")), 0)
}

// setting is a file of a cgroup with what to write there.
type setting struct {
	file, value string
	optional    bool // not all kernels have it
}

func (l *Limits) writeV2(dir string) error {
	var all []setting
	if l.CPUs > 0 {
		all = append(all, setting{"cpu.max", fmt.Sprintf("%.0f %d", l.CPUs*quotaPeriod, quotaPeriod), false})
	}
	if l.Memory > 0 {
		all = append(all, setting{"memory.max", strconv.FormatInt(l.Memory, 10), false},
			setting{"memory.swap.max", "0", true}, setting{"memory.oom.group", "1", true})
	}
	if len(l.CPUSet) > 0 {
		all = append(all, setting{"cpuset.cpus", cpuList(l.CPUSet), false})
	}
	return writeAll(dir, all)
}

// writeV1 writes the limits that one controller of version 1 has.
func (l *Limits) writeV1(dir, controller string) error {
	switch controller {
	case "cpu":
		return writeAll(dir, []setting{
			{"cpu.cfs_period_us", strconv.Itoa(quotaPeriod), false},
			{"cpu.cfs_quota_us", fmt.Sprintf("%.0f", l.CPUs*quotaPeriod), false},
		})
	case "memory":
		limit := strconv.FormatInt(l.Memory, 10)
		return writeAll(dir, []setting{{"memory.limit_in_bytes", limit, false}, {"memory.memsw.limit_in_bytes", limit, true}})
	}
	// A cpuset takes no process before it has memory nodes too: those of its
	// parent, which limit nothing.
	nodes, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "cpuset.mems"))
	if err != nil {
		return err
	}
	return writeAll(dir, []setting{{"cpuset.cpus", cpuList(l.CPUSet), false}, {"cpuset.mems", strings.TrimSpace(string(nodes)), false}})
}

func writeAll(dir string, all []setting) error {
	for _, s := range all {
		if err := os.WriteFile(filepath.Join(dir, s.file), []byte(s.value), 0o644); err != nil && !s.optional {
			return err
		}
	}
	return nil
}

// cpuList writes CPUs as the kernel reads them.
func cpuList(cpus []int) string {
	words := make([]string, len(cpus))
	for i, cpu := range cpus {
		words[i] = strconv.Itoa(cpu)
	}
	return strings.Join(words, ",")
}

// oomKills is how many processes the kernel has killed because the limit group's
// memory was used up.
func (f limitGroup) oomKills() int {
	file := "memory.oom_control"
	if f.v2 {
		file = "memory.events"
	}
	data, _ := os.ReadFile(filepath.Join(f.path, file))
	for line := range strings.Lines(string(data)) {
		if count, ok := strings.CutPrefix(line, "oom_kill "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(count))
			return n
		}
	}
	return 0
}
