package capacity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/validity"
)

// idleTime is how long the machine is watched before each load: programs that are busy
// then don't work for the service.
const idleTime = 200 * time.Millisecond

// Load runs a load as it is given, and has the machine watched meanwhile. A load that
// ctx interrupts is an error: half a trial says nothing.
func (g *Generator) Load(ctx context.Context, spec load.Spec) (*load.Result, error) {
	var around archive.Speed
	if g.Machine != nil {
		g.Machine.Idle(ctx, idleTime)
		spec.Others = g.Machine.Since
		around.Before = g.readSpeed(&around)
	}
	r, err := load.Run(ctx, spec)
	if err == nil {
		err = interrupted(ctx)
	}
	if err != nil {
		return nil, err
	}
	if g.Machine != nil {
		around.After = g.readSpeed(&around)
		g.speeds = append(g.speeds, &around)
		found := finding.Accept(validity.NewUsualSpeed(g.speeds).Judge(&around), spec.Accept)
		r.Findings = append(r.Findings, found...)
		r.Validity = r.Validity.Worse(finding.Worst(found))
	}
	return r, nil
}

// readSpeed reads how fast the CPUs in use are, while nothing is running there. A
// machine that does not let it be read is measured on all the same.
func (g *Generator) readSpeed(s *archive.Speed) []speed.Reading {
	readings, err := speed.Measure(g.Machine.CPUs())
	if err != nil {
		s.Missing = cmp.Or(s.Missing, err.Error())
	}
	return readings
}

// proven leaves out of findings that other programs were busy, unless a window shows
// that these can't be a part of the service: those would be there at every rate that
// is too high for it.
func proven(found []finding.Finding, windows []measure.Window) []finding.Finding {
	sure := false
	for i := range windows {
		h := windows[i].Health
		sure = sure || h != nil && h.Others != nil && !windows[i].Warmup() && h.Others.Proven()
	}
	if sure {
		return found
	}
	var kept []finding.Finding
	for _, f := range found {
		if f.Name != finding.OtherLoad {
			kept = append(kept, f)
		}
	}
	return kept
}

// Disturbed is what the machine did to a measurement of many trials.
type Disturbed struct {
	// Validity of the result: Suspect if more than a tenth of the trials were
	// disturbed, Invalid if more than half were of no use for that, or if an end of the
	// bracket is missing for it. It is "accepted" where such findings were accepted by
	// their names.
	Validity finding.Validity  `json:"validity"`
	Findings []finding.Finding `json:"findings"` // Windows are the numbers of the trials, from 0, in the order they were made
}

// troubled is a trial with the findings that the machine disturbed it.
type troubled struct {
	found   []finding.Finding
	useless bool // it was spoiled by them
}

// judgeTrials sums up what disturbed each of the trials.
func judgeTrials(trials []troubled) Disturbed {
	d := Disturbed{Findings: []finding.Finding{}}
	useless := map[finding.Name]int{} // trials, by finding
	for i := range trials {
		for _, f := range trials[i].found {
			if trials[i].useless || f.Validity == finding.Invalid {
				useless[f.Name]++
			}
			f.Windows = []int{i}
			j := slices.IndexFunc(d.Findings, func(of finding.Finding) bool { return of.Name == f.Name })
			if j < 0 {
				d.Findings = append(d.Findings, f)
				continue
			}
			of := &d.Findings[j]
			of.Windows = append(of.Windows, i)
			if f.Validity == finding.Invalid && of.Validity != finding.Invalid {
				of.Validity, of.Detail = f.Validity, f.Detail
			}
		}
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		switch n := len(trials); {
		case 2*useless[f.Name] > n:
			f.Validity = finding.Invalid
		case 10*len(f.Windows) > n:
			f.Validity = finding.Suspect
		default:
			f.Validity = finding.Valid
		}
	}
	d.Validity = finding.Validity(finding.Level(finding.Worst(d.Findings), d.Findings))
	return d
}

// accepted are the findings about the machine that would count if they had not been
// accepted.
func accepted(r *load.Result) (found []finding.Finding) {
	for _, f := range r.Findings {
		if f.Accepted && f.Validity != finding.Valid && slices.Contains(slices.Concat(limits, disturbances), f.Name) {
			found = append(found, f)
		}
	}
	return found
}

// disturbing are the findings about the machine that weigh something.
func disturbing(r *load.Result) []finding.Finding {
	return named(r.Findings, disturbances)
}
