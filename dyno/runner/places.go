package runner

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// places says on which CPUs generator and subjects run.
type places struct {
	archive.Placement
	online []int
}

// choosePlaces decides which CPUs generator and subjects get, and their upstreams if some
// of them send requests on.
func choosePlaces(s *study.Study, cells []study.Cell, upstreams bool) (*places, error) {
	online, err := subject.OnlineCPUs()
	if err != nil {
		return nil, err
	}
	if err := checkCPUSets(s.Subjects, online); err != nil {
		return nil, err
	}
	p := s.Placement
	generator, subj, _, err := subject.Place(p.Mode, p.Generator, p.Subject, online)
	if err != nil {
		return nil, i18n.Errorf("runner.placement", "placement: %w", err)
	}
	mode := p.Mode
	if mode == "" {
		mode = subject.Split
	}
	for i := range cells {
		if _, err := cells[i].PickCPUs(subj, online); err != nil {
			return nil, i18n.Errorf("runner.subject", "subject %s: %w", cells[i].Subject, err)
		}
	}
	chosen := archive.Placement{Mode: mode, Generator: generator, Subject: subj}
	if n := (len(generator) + 1) / 2; upstreams && mode == subject.Split && n < len(generator) {
		chosen.Generator, chosen.Upstream = generator[:n:n], generator[n:]
	}
	return &places{chosen, online}, nil
}

// all are the CPUs in use, in order.
func (p *places) all() []int {
	cpus := slices.Concat(p.Generator, p.Upstream, p.Subject)
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

// ofLoops are the CPUs to pin load loops to; none if generator and subject
// share theirs, where pinning would keep the kernel from balancing them.
func (p *places) ofLoops() []int {
	if p.Mode == subject.Shared {
		return nil
	}
	return p.Generator
}

// ofSubject are the CPUs that a cell's subject runs on.
func (p *places) ofSubject(c *contender, cell *study.Cell) []int {
	if set := limitsOf(c.Subject).CPUSet; len(set) > 0 {
		return set
	}
	cpus, err := cell.PickCPUs(p.Subject, p.online)
	if err != nil {
		return p.Subject // refused before, when CPUs were placed
	}
	return cpus
}

// ofUpstream are the CPUs that upstreams run on: of their own where there are enough,
// else those of the generator.
func (p *places) ofUpstream() []int {
	if p.Upstream != nil {
		return p.Upstream
	}
	return p.Generator
}

// ofServices are the CPUs of the services that subjects stand on: of their own where there
// are enough, else those of the subjects. A database at work on the generator's only
// CPU keeps it from sending on time and from seeing responses.
func (p *places) ofServices() []int {
	if p.Upstream != nil {
		return p.Upstream
	}
	return p.Subject
}

// ofTrial are the generator's and those that a cell's subject may use, in order. Those
// of a service that is up already are not known.
func (p *places) ofTrial(c *contender, cell *study.Cell) []int {
	cpus := slices.Clone(p.Generator)
	if c.upstream != nil {
		cpus = append(cpus, p.Upstream...)
	}
	if c.URL == "" {
		cpus = append(cpus, p.ofSubject(c, cell)...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}
