package runner

import (
	"cmp"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/validity"
)

// speeds are the CPUs' speeds around the trials done so far.
type speeds []*archive.Speed

// begin begins the record of a trial on some CPUs. Nothing of the trial is running yet,
// nor when [speeds.end] completes the record: slowness then is the machine's, not the
// subject's.
func (*speeds) begin(cpus []int) *archive.Speed {
	s := &archive.Speed{}
	s.Before = readSpeed(cpus, s)
	return s
}

// end ends the record, and compares a complete trial with those before it, so that a change
// is known at once. The analysis compares it with all of them.
func (s *speeds) end(t *archive.Trial, cpus []int, accept []finding.Name) {
	if t.Status == archive.Interrupted {
		return
	}
	t.Speed.After = readSpeed(cpus, t.Speed)
	*s = append(*s, t.Speed)
	if t.Status != archive.Complete {
		return
	}
	found := finding.Accept(validity.NewUsualSpeed(*s).Judge(t.Speed), accept)
	t.Findings = append(t.Findings, found...)
	t.Validity = t.Validity.Worse(finding.Worst(found))
}

// readSpeed reads the CPUs' speed. Where it can't be read the trial goes on all the
// same, and the record says why.
func readSpeed(cpus []int, s *archive.Speed) []speed.Reading {
	readings, err := speed.Measure(cpus)
	if err != nil {
		s.Missing = cmp.Or(s.Missing, err.Error())
	}
	return readings
}
