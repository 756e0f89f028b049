package probe

import (
	"fmt"
	"time"
)

// throttleProbe reads how long CPU quotas have held a process back: those of its
// cgroup and of all above it.
type throttleProbe struct {
	files  *reader
	stats  []procFile
	failed error
}

// newThrottleProbe finds the cgroup that process pid is in now.
func newThrottleProbe(pid int) *throttleProbe {
	p := &throttleProbe{files: newReader(maxOpenFiles)}
	once := newReader(0)
	mounts, err := once.read(&procFile{path: "/proc/self/mountinfo"})
	if err != nil {
		p.failed = fmt.Errorf("finding cgroups: %w", err)
		return p
	}
	where := parseCgroupMounts(mounts)
	groups, err := once.read(&procFile{path: procPath(pid, "cgroup")})
	if err != nil {
		p.failed = fmt.Errorf("finding the cgroup of process %d: %w", pid, err)
		return p
	}
	for _, folder := range parseCgroupFolders(groups, where) {
		p.stats = append(p.stats, procFile{path: folder + "/cpu.stat"})
	}
	return p
}

// read returns the sum over all groups. A group without cpu.stat has no quota.
func (p *throttleProbe) read() (sum time.Duration, err error) {
	if p.failed != nil {
		return 0, p.failed
	}
	for i := range p.stats {
		data, err := p.files.read(&p.stats[i])
		if hasEnded(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		throttled, err := parseThrottled(data)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.stats[i].path, err)
		}
		sum += throttled
	}
	return sum, nil
}

func (p *throttleProbe) close() {
	for i := range p.stats {
		p.files.close(&p.stats[i])
	}
}
