package comparecmd

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"dyno.example/dyno/machine"
	"dyno.example/dyno/probe/sampled"
	"dyno.example/dyno/regression"
	"dyno.example/dyno/runner"
	"dyno.example/dyno/study"
)

// sampling is where the versions of a study spend their CPU time while it is run. A nil one
// does nothing.
type sampling struct {
	dirs map[string]string // of a subject's processes, by its name
	cpus []int             // all of them: a run pins its threads later

	once    sync.Once
	sampler *sampled.Sampler
	failed  error
	seen    []*sampled.Process
}

// newSampling is of the subjects that are run in a folder. Sampling begins with the first
// trial, when all is built: compilers work in the same folders.
func newSampling(s *study.Study) *sampling {
	all := &sampling{dirs: map[string]string{}, cpus: machine.OnlineCPUs()}
	for i := range s.Subjects {
		if dir, err := filepath.EvalSymlinks(s.Subjects[i].Dir); err == nil {
			all.dirs[s.Subjects[i].Name] = dir
		}
	}
	return all
}

// see follows the run.
func (s *sampling) see(e runner.Event) {
	if s == nil || e.Kind != runner.TrialStarted {
		return
	}
	s.once.Do(func() {
		s.sampler, s.failed = sampled.Start(sampled.Config{CPUs: s.cpus, Wanted: s.wants})
	})
}

// wants reports whether a process is a version's: one that this program started, in its folder.
// Others may work in the same one, such as editors, this program itself, and what it keeps
// subjects with.
func (s *sampling) wants(pid int, dir string) bool {
	for _, d := range s.dirs {
		if d == dir {
			return sampled.Below(pid, []int{os.Getpid()}) && !ownProgram(pid)
		}
	}
	return false
}

// ownProgram reports whether a process runs this program.
func ownProgram(pid int) bool {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return false
	}
	its, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && its == own
}

func (s *sampling) stop() {
	if s.sampler != nil {
		s.seen, _ = s.sampler.Stop()
		s.sampler = nil
	}
}

// explain names the functions that grew, of each version that costs more CPU time.
func (s *sampling) explain(r *regression.Result, pairs []regression.Pair) {
	for _, p := range pairs {
		r.Grew(p, s.of(p.Old), s.of(p.New), s.failed)
	}
}

func (s *sampling) of(subject string) (list []*sampled.Process) {
	for _, p := range s.seen {
		if p.Dir == s.dirs[subject] {
			list = append(list, p)
		}
	}
	return list
}
