package runner

import (
	"cmp"
	"slices"

	"dyno/lab/archive"
	"dyno/lab/finding"
	"dyno/lab/machine/speed"
	"dyno/lab/study"
	"dyno/lab/validity"
)

// speedBefore begins the record of the CPUs' speed. Nothing of the trial's is
// running yet, and nothing is when [Runner.speedAfter] goes on with it: what is
// slow then is the machine, not the subject's doing.
func (r *Runner) speedBefore(cell *study.Cell) *archive.Speed {
	s := &archive.Speed{}
	s.Before = readSpeed(r.trialCPUs(cell), s)
	return s
}

// speedAfter ends the record, and holds a complete trial to those before it, so
// that it is known at once. The analysis holds it to all of them.
func (r *Runner) speedAfter(t *archive.Trial, cell *study.Cell) {
	if t.Status == archive.Interrupted {
		return
	}
	t.Speed.After = readSpeed(r.trialCPUs(cell), t.Speed)
	r.speeds = append(r.speeds, t.Speed)
	if t.Status != archive.Complete {
		return
	}
	found := finding.Accept(validity.NewUsualSpeed(r.speeds).Judge(t.Speed), r.Study.Accept)
	t.Findings = append(t.Findings, found...)
	t.Validity = t.Validity.Worse(finding.Worst(found))
}

// readSpeed reads the CPUs' speed. A machine that does not let it be read is
// measured on all the same: the record says why.
func readSpeed(cpus []int, s *archive.Speed) []speed.Reading {
	readings, err := speed.Measure(cpus)
	if err != nil {
		s.Missing = cmp.Or(s.Missing, err.Error())
	}
	return readings
}

// trialCPUs are the generator's and those that a cell's subject may use, in order.
// Where a service runs that is up already, nobody says.
func (r *Runner) trialCPUs(cell *study.Cell) []int {
	cpus := slices.Clone(r.placement.Generator)
	if r.contenders[cell.Subject].URL == "" {
		cpus = append(cpus, r.subjectCPUs(cell)...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}
