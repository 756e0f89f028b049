package subject

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// makeLimitGroups makes the cgroups with the launch request's limits: one of version 2 where that
// is possible, in place of the plain one, else one of version 1 for each limit.
// What can't be enforced is said in unenforced; CPUs are changed to what is the
// next best.
func (c *child) makeLimitGroups(o *launchRequest, name string) {
	l := &o.Limits
	if l.none() {
		return
	}
	if len(l.CPUSet) > 0 {
		o.CPUs = l.CPUSet
	}
	trees, err := ownTrees()
	why := map[string]error{}
	if v2, ok := trees[""]; ok && err == nil {
		var g *cgroup
		if g, err = limitedCgroup(v2, name, l); err == nil {
			c.group, c.limitGroups = g, []limitGroup{{cgroup: g}}
			return
		}
	}
	for _, controller := range l.controllers() {
		tree, ok := trees[controller]
		if !ok {
			why[controller] = fmt.Errorf("there is no %s controller that can be used", controller)
			if err != nil {
				why[controller] = err
			}
			continue
		}
		f, err := l.limitGroupV1(tree, name, controller)
		if err != nil {
			why[controller] = err
			continue
		}
		c.limitGroups = append(c.limitGroups, f)
	}
	c.noteUnenforced(o, why)
}

// limitGroupV1 makes a cgroup of version 1 below the one this process is in.
func (l *Limits) limitGroupV1(tree cgroupTree, name, controller string) (limitGroup, error) {
	f := limitGroup{&cgroup{path: filepath.Join(tree.own, name), parent: tree.own}, controller}
	if err := os.Mkdir(f.path, 0o755); err != nil {
		return f, err
	}
	if err := l.writeV1(f.path, controller); err != nil {
		f.remove()
		return f, err
	}
	return f, nil
}

// noteUnenforced says which limits are not enforced, and why.
func (c *child) noteUnenforced(o *launchRequest, why map[string]error) {
	l := &o.Limits
	say := func(controller, format string, args ...any) {
		if err := why[controller]; err != nil {
			c.unenforced = append(c.unenforced, fmt.Sprintf(format, args...)+": "+err.Error())
		}
	}
	if why["cpu"] != nil {
		cpus := o.CPUs
		if len(cpus) == 0 {
			cpus, _ = OnlineCPUs()
		}
		o.CPUs = l.affine(cpus)
	}
	say("cpu", "CPU time is not limited to %v CPUs; instead, the subject was kept on CPUs %v", l.CPUs, o.CPUs)
	say("memory", "memory is not limited to %s", l.memoryText())
	say("cpuset", "CPUs %v are kept by affinity only, which a program can change for itself", l.CPUSet)
}

// enterLimitGroups moves the calling thread into the limit groups of version 1, so that
// what it forks is born there, until leave is called.
func (c *child) enterLimitGroups() (leave func(), err error) {
	thread := []byte(fmt.Sprint(syscall.Gettid()))
	var inside []limitGroup
	leave = func() {
		for _, f := range inside {
			_ = os.WriteFile(filepath.Join(f.parent, "tasks"), thread, 0)
		}
	}
	for _, f := range c.limitGroups {
		if f.v2 {
			continue
		}
		if err := os.WriteFile(filepath.Join(f.path, "tasks"), thread, 0); err != nil {
			leave()
			return nil, fmt.Errorf("limiting the subject (%s): %w", f.controller, err)
		}
		inside = append(inside, f)
	}
	return leave, nil
}

// ownTrees finds the cgroups that this process is in, by controller; "" is
// version 2's.
func ownTrees() (map[string]cgroupTree, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	return treesByController(mounts, membership), nil
}

// removeLimitGroups removes what is left of the limit groups when their members have ended.
func (c *child) removeLimitGroups() {
	for _, f := range c.limitGroups {
		f.remove()
	}
}

// outOfMemory is how many of the subject's processes the kernel has killed for
// its limit of memory.
func (c *child) outOfMemory() (n int) {
	for _, f := range c.limitGroups {
		if f.v2 || f.controller == "memory" {
			n += f.oomKills()
		}
	}
	return n
}

// limitGroupPaths lists the folders of the limit groups, for the journal.
func (c *child) limitGroupPaths() (paths []string) {
	for _, f := range c.limitGroups {
		if !f.v2 {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// statusOf says how the subject ended, with the limit if that was why.
func (c *child) statusOf(status syscall.WaitStatus, l *Limits) string {
	text := describe(status)
	if n := c.outOfMemory(); n > 0 { // perhaps not the first process, but the end of it
		text += fmt.Sprintf(": the kernel killed %d of its processes, which needed more than the limit of memory, %s", n, l.memoryText())
	}
	return text
}
