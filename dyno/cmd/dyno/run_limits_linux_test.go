package main

import (
	"fmt"
	"os"
	"testing"
)

// limitedStudy is one trial of a subject with limits.
func limitedStudy(t *testing.T, home, mode, limits string) string {
	t.Helper()
	return writeStudy(t, home, fmt.Sprintf(`study: limited
subjects:
  - {name: %s, run: %q, ready: /ready, limits: %s}
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 400, connections: 2}}]
trial: {warmup: 0s, duration: 1s}
blocks: 1
`, mode, serverBinary+" "+mode, limits))
}

func TestASubjectThatNeedsMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	if f, err := os.OpenFile("/sys/fs/cgroup/memory/cgroup.procs", os.O_WRONLY, 0); err != nil {
		t.Skipf("cgroups can't be made here: %v", err)
	} else {
		f.Close()
	}
	home := t.TempDir()
	o := dyno(t, home, "run", limitedStudy(t, home, "hungry", "{cpus: 0.9, memory: 64MiB}"))
	o.want(t, 1, o.stderr, "subject hungry died: ", ": the kernel killed 1 of its processes, which needed more than the limit of memory, 64 MiB")
	contains(t, read(t, home+"/runs/"+onlyRun(t, home)+"/manifest.json"), `"memory_bytes": 67108864`, `"cpus": 0.9`)
}

func TestLimitsThatAreRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", limitedStudy(t, home, "good", "{cpuset: 4000}"))
	o.want(t, 1, o.stderr, "subject good: limits: cpuset: CPU 4000 can't be used; online are")
	o = dyno(t, home, "run", limitedStudy(t, home, "good", "{memory: lots}"))
	o.want(t, 2, o.stderr, "study.yaml:3:", "subjects[0].limits.memory: expected a size")
}
