package subject

import (
	"fmt"
	"slices"

	"dyno.example/internal/i18n"
)

// Modes of placement.
const (
	Split    = "split"    // generator and subject have CPUs of their own
	Shared   = "shared"   // both may use every CPU
	Explicit = "explicit" // as the user says
)

// Place decides which CPUs the generator and the subject run on. online are
// the CPUs this process may use (see [OnlineCPUs]); gen and subj are the
// user's choice in explicit mode. An empty mode is split.
//
// Split gives the generator the first third of the CPUs, rounded up, and the
// subject the rest. remarks say in plain words what speaks against measuring
// with the result.
func Place(mode string, gen, subj, online []int) (generator, subject []int, remarks []string, err error) {
	if len(online) == 0 {
		return nil, nil, nil, i18n.Errorf("subject.no-cpu-online", "place generator and subject: no CPU is online")
	}
	cpus := slices.Sorted(slices.Values(online))
	switch mode {
	case "", Split:
		return split(cpus)
	case Shared:
		return cpus, slices.Clone(cpus), []string{sharedRemark}, nil
	case Explicit:
		return explicit(gen, subj, cpus)
	}
	modes := []string{Split, Shared, Explicit}
	return nil, nil, nil, i18n.Errorf("subject.unknown-placement", "placement %q is not one of %v%s", mode, modes, didYouMean(mode, modes))
}

const sharedRemark = "generator and subject share CPUs: each slows the other down"

func split(cpus []int) (generator, subject []int, remarks []string, err error) {
	if len(cpus) == 1 {
		return cpus, slices.Clone(cpus), []string{"there is only one CPU; " + sharedRemark}, nil
	}
	n := (len(cpus) + 2) / 3
	return cpus[:n:n], cpus[n:], nil, nil
}

func explicit(gen, subj, online []int) (generator, subject []int, remarks []string, err error) {
	if generator, err = chosen("generator", gen, online); err != nil {
		return nil, nil, nil, err
	}
	if subject, err = chosen("subject", subj, online); err != nil {
		return nil, nil, nil, err
	}
	for _, cpu := range generator {
		if slices.Contains(subject, cpu) {
			remarks = append(remarks, fmt.Sprintf("CPU %d is given to both; %s", cpu, sharedRemark))
		}
	}
	return generator, subject, remarks, nil
}

func chosen(who string, cpus, online []int) ([]int, error) {
	if len(cpus) == 0 {
		return nil, i18n.Errorf("subject.placement-without-cpu", "explicit placement gives the %s no CPU; online are %v", who, online)
	}
	sorted := slices.Sorted(slices.Values(cpus))
	for i, cpu := range sorted {
		if !slices.Contains(online, cpu) {
			return nil, i18n.Errorf("subject.placement-cpu-offline", "explicit placement gives the %s CPU %d, which can't be used; online are %v", who, cpu, online)
		}
		if i > 0 && sorted[i-1] == cpu {
			return nil, i18n.Errorf("subject.placement-cpu-twice", "explicit placement gives the %s CPU %d twice", who, cpu)
		}
	}
	return sorted, nil
}
