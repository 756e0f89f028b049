package collect

import (
	"os"
	"strconv"
	"strings"

	"dyno.example/dyno/evidence"
)

// groupsKept is how many threads' groups are remembered.
const groupsKept = 1 << 12

// groups remembers which cgroup threads are in that had a CPU instead. Some have ended when
// they are asked for: then it isn't known.
type groups map[int32]string

// name tells of a record's waits for a CPU the cgroup of who had it.
func (g *groups) name(r *evidence.Record) {
	for i := range r.Intervals {
		v := &r.Intervals[i]
		if v.Stage == evidence.CPUWait && v.By != nil {
			v.By = &evidence.Task{PID: v.By.PID, Comm: v.By.Comm, Cgroup: g.of(v.By.PID)}
		}
	}
}

func (g *groups) of(thread int32) string {
	if name, ok := (*g)[thread]; ok {
		return name
	}
	if *g == nil || len(*g) > groupsKept {
		*g = make(groups)
	}
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(int(thread)) + "/cgroup")
	name := groupOf(string(text))
	(*g)[thread] = name
	return name
}

// groupOf is the group that shares CPU time, as /proc/PID/cgroup has it: of version 1 the one of the
// controller cpu, else that of version 2; empty for the root.
func groupOf(text string) (name string) {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 || f[2] == "/" {
			continue
		}
		for controller := range strings.SplitSeq(f[1], ",") {
			if controller == "cpu" {
				return f[2]
			}
		}
		if f[0] == "0" {
			name = f[2]
		}
	}
	return name
}
