package probe

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"time"
)

// parseThrottled reads how long a cgroup was held back by its CPU quota from
// its cpu.stat: "throttled_usec" in version 2, "throttled_time" in ns in
// version 1. A group without the CPU controller has neither and was not held
// back.
func parseThrottled(data []byte) (time.Duration, error) {
	for _, k := range []struct {
		key  string
		unit time.Duration
	}{{"throttled_usec ", time.Microsecond}, {"throttled_time ", time.Nanosecond}} {
		if !bytes.Contains(data, []byte(k.key)) {
			continue
		}
		n, err := parseLine(data, k.key)
		if err != nil || n > 1<<53 {
			return 0, fmt.Errorf("cpu.stat: %s is not a time", k.key)
		}
		return time.Duration(n) * k.unit, nil
	}
	return 0, nil
}

// cgroupMount is where a hierarchy that may hold CPU quotas is mounted.
type cgroupMount struct {
	point string // folder
	root  string // part of the hierarchy that is seen there
	v2    bool
}

// parseCgroupMounts finds the mounts of the CPU controller (version 1) and of
// version 2 in /proc/PID/mountinfo.
func parseCgroupMounts(data []byte) (mounts []cgroupMount) {
	for line := range strings.Lines(string(data)) {
		before, after, ok := strings.Cut(line, " - ")
		place, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(place) < 5 || len(kind) < 3 {
			continue
		}
		m := cgroupMount{root: unescape(place[3]), point: unescape(place[4])}
		switch kind[0] {
		case "cgroup2":
			m.v2 = true
			mounts = append(mounts, m)
		case "cgroup":
			if hasController(kind[2], "cpu") {
				mounts = append(mounts, m)
			}
		}
	}
	return mounts
}

// parseCgroupFolders finds the folders whose quotas apply to the process that
// /proc/PID/cgroup is of: its own group and all above it, in each hierarchy.
func parseCgroupFolders(data []byte, mounts []cgroupMount) (folders []string) {
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 || !path.IsAbs(parts[2]) {
			continue
		}
		v2 := parts[0] == "0" && parts[1] == ""
		if !v2 && !hasController(parts[1], "cpu") {
			continue
		}
		for _, m := range mounts {
			if m.v2 == v2 {
				folders = append(folders, m.above(path.Clean(parts[2]))...)
			}
		}
	}
	return folders
}

// above returns the folders of group and of all groups above it that can be
// seen at m.
func (m cgroupMount) above(group string) (folders []string) {
	if m.root != "/" {
		rest, ok := strings.CutPrefix(group, m.root)
		if !ok || rest != "" && rest[0] != '/' {
			return nil
		}
		group = "/" + strings.TrimPrefix(rest, "/")
	}
	for {
		folders = append(folders, path.Join(m.point, group))
		if group == "/" {
			return folders
		}
		group = path.Dir(group)
	}
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}

// unescape undoes the octal escapes of mountinfo.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
