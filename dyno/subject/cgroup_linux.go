package subject

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cgroup is a control group that holds one subject and all its descendants,
// whatever they do. A nil *cgroup is none: its methods do nothing.
//
// It is made without controllers, in version 2's tree or in the freezer's or pids' of
// version 1, so that it changes nothing about how the subject is scheduled; it only
// says which processes belong to it.
type cgroup struct {
	path   string
	parent string // where this process is; version 1 only
	v2     bool
	dir    *os.File // of version 2, open from enter to leave
}

// newCgroup makes a cgroup called name below the one this process is in.
func newCgroup(name string) (*cgroup, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	errs := []error{errors.New("no cgroup tree that would do is mounted")}
	for _, tree := range cgroupTrees(mounts, membership) {
		g := &cgroup{path: filepath.Join(tree.own, name), parent: tree.own, v2: tree.v2}
		err := os.Mkdir(g.path, 0o755)
		if err == nil {
			return g, nil
		}
		errs = []error{err}
	}
	return nil, errors.Join(errs...)
}

// openCgroup returns the cgroup of a path that newCgroup made, or nil if it is
// no more.
func openCgroup(path string) *cgroup {
	if _, err := os.Stat(filepath.Join(path, "cgroup.procs")); err != nil {
		return nil
	}
	_, err := os.Stat(filepath.Join(path, "cgroup.kill"))
	return &cgroup{path: path, v2: err == nil}
}

// enter makes what is forked from the calling thread a member: with version 2 by
// clone3(2) through attr, with version 1 by moving the thread until leave is called.
func (g *cgroup) enter(attr *syscall.SysProcAttr) (leave func(), err error) {
	none := func() {}
	switch {
	case g == nil:
		return none, nil
	case g.v2:
		if g.dir, err = os.Open(g.path); err != nil {
			return none, err
		}
		attr.UseCgroupFD, attr.CgroupFD = true, int(g.dir.Fd())
		return func() { g.dir.Close() }, nil
	}
	thread := []byte(strconv.Itoa(syscall.Gettid()))
	if err := os.WriteFile(filepath.Join(g.path, "tasks"), thread, 0); err != nil {
		return none, err
	}
	return func() { _ = os.WriteFile(filepath.Join(g.parent, "tasks"), thread, 0) }, nil
}

// kill sends SIGKILL to all members: at once where the kernel can (version 2
// since Linux 5.14), else to those listed now.
func (g *cgroup) kill() {
	if g == nil {
		return
	}
	if g.v2 && os.WriteFile(filepath.Join(g.path, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	for _, pid := range g.members() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// members lists the processes in the cgroup.
func (g *cgroup) members() []int {
	if g == nil {
		return nil
	}
	data, _ := os.ReadFile(filepath.Join(g.path, "cgroup.procs"))
	var pids []int
	for line := range bytes.FieldsSeq(data) {
		if pid, err := strconv.Atoi(string(line)); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// remove removes the cgroup. The kernel takes a moment to forget members that
// have ended, and keeps the directory until then.
func (g *cgroup) remove() {
	if g == nil {
		return
	}
	for range 100 {
		if err := os.Remove(g.path); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// cgroupTree is a mounted hierarchy.
type cgroupTree struct {
	own   string // folder of the cgroup this process is in
	point string // where the hierarchy is mounted
	v2    bool
}

// cgroupTrees lists the hierarchies a subject may get a cgroup in, the best
// first, from /proc/self/mountinfo and /proc/self/cgroup (cgroups(7)).
func cgroupTrees(mountinfo, membership []byte) (trees []cgroupTree) {
	found := treesByController(mountinfo, membership)
	for _, controller := range []string{"", "freezer", "pids"} {
		if tree, ok := found[controller]; ok {
			trees = append(trees, tree)
		}
	}
	return trees
}

// treesByController finds the mounted hierarchies by controller, "" for version
// 2's.
func treesByController(mountinfo, membership []byte) map[string]cgroupTree {
	own := map[string]string{} // controller, or "" for version 2 → path in the hierarchy
	for line := range strings.Lines(string(membership)) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 3); len(parts) == 3 {
			for controller := range strings.SplitSeq(parts[1], ",") {
				own[controller] = parts[2]
			}
		}
	}
	found := map[string]cgroupTree{}
	for line := range strings.Lines(string(mountinfo)) {
		controllers, root, point := cgroupMount(line)
		for _, controller := range controllers {
			if path, member := own[controller]; member {
				below := strings.TrimPrefix(path, strings.TrimSuffix(root, "/"))
				found[controller] = cgroupTree{own: filepath.Join(point, below), point: point, v2: controller == ""}
			}
		}
	}
	return found
}

// cgroupMount takes apart a line of mountinfo, "ID PARENT DEV ROOT POINT
// OPTIONS… - TYPE SOURCE SUPER" (proc(5)), and returns the controllers that it
// mounts of version 1, or "" for version 2's.
func cgroupMount(line string) (controllers []string, root, point string) {
	left, right, found := strings.Cut(line, " - ")
	mount, kind := strings.Fields(left), strings.Fields(right)
	if !found || len(mount) < 5 || len(kind) < 3 {
		return nil, "", ""
	}
	root, point = mount[3], mount[4]
	switch kind[0] {
	case "cgroup2":
		return []string{""}, root, point
	case "cgroup":
		return strings.Split(kind[2], ","), root, point // its options too, which have no members
	}
	return nil, "", ""
}
