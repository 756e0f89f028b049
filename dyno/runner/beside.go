package runner

import (
	"context"
	"os"
	"strconv"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// What an arm of which nothing is known yet is assumed to need, in bytes, and what a machine
// must have left when all are up.
const (
	usualArm  = 64 << 20
	spareRoom = 256 << 20
)

// room says why there is no room for an arm together with those that are up; nothing if there is.
// It will need what it held in its last trial, or as much as the largest of the others.
func (b *turns) room(a *arm) i18n.Message {
	available, ok := availableMemory()
	if !ok || len(b.upArms()) == 0 {
		return i18n.Message{}
	}
	needs := b.execution.held[a.planned.Cell]
	if needs == 0 {
		needs = usualArm
		for _, other := range b.upArms() {
			if used, err := other.meter.Lap(); err == nil {
				needs = max(needs, used.RSS)
			}
		}
	}
	if needs+spareRoom <= available {
		return i18n.Message{}
	}
	return i18n.New("runner.no-room-beside", "%d MiB of memory are free with the %d that are up, and it needs about %d MiB with %d MiB to spare",
		available>>20, len(b.upArms()), needs>>20, uint64(spareRoom)>>20)
}

// availableMemory is MemAvailable of proc_meminfo(5), in bytes.
func availableMemory() (bytes uint64, ok bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "MemAvailable:"); found {
			kb, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// shares are what each arm used of a CPU while another one had the load.
func (b *turns) shares() []float64 {
	list := make([]float64, len(b.arms))
	for i, a := range b.arms {
		list[i] = a.share()
	}
	return list
}

// busyBeside says what an arm did while others had the load, and what the others did while it
// had. What they used of its CPU bounds what they can have changed.
func (b *turns) busyBeside(a *arm, shares []float64) (found []finding.Finding) {
	others, worst := 0.0, -1
	for i, other := range b.arms {
		if other == a {
			if own := shares[i]; own >= namedBeside {
				found = append(found, finding.Finding{Name: finding.BusyBeside, Validity: finding.Suspect, Detail: i18n.New("runner.busy-beside",
					"it used %.1f %% of a CPU while others had the load (limit %.0f %%): what it does for its requests after their slice is not in its figures", 100*own, 100*namedBeside)})
			}
			continue
		}
		if others += shares[i]; worst < 0 || shares[i] > shares[worst] {
			worst = i
		}
	}
	if others >= namedBeside {
		found = append(found, finding.Finding{Name: finding.BusyBeside, Validity: finding.Valid, Detail: i18n.New("runner.busy-beside-it",
			"while it had the load the others used %.1f %% of a CPU, most of it %s (%.1f %%): its figures are off by no more than that", 100*others, b.arms[worst].contender.Name, 100*shares[worst])})
	}
	return found
}

// measureAlone measures an arm as a trial of its own, and says why.
func (e *execution) measureAlone(ctx context.Context, w *archive.Writer, a *arm) {
	why := a.whyAlone
	e.tell(Event{Kind: TrialStarted, Trial: a.planned, Cell: a.cell, Remaining: e.pace.remaining()})
	a.trial = e.trial(ctx, a.planned, a.cell, w.SubjectLog(a.planned.Index))
	a.failed, a.sealed = nil, true
	f := []finding.Finding{{Name: finding.MeasuredAlone, Validity: finding.Suspect, Detail: i18n.New("runner.measured-alone", "it was not measured in turns with the others but alone, at another time: %s", why)}}
	if a.trial.Status == archive.Complete {
		a.trial.Findings = append(a.trial.Findings, finding.Accept(f, e.runner.Study.Accept)...)
		a.trial.Validity = a.trial.Validity.Worse(finding.Worst(f))
	}
}

// seal notes how an arm's trial ended.
func (e *execution) seal(ctx context.Context, a *arm, f failure) {
	t := &a.trial
	if a.sealed {
		return
	}
	if n := len(t.Windows); n > 0 {
		e.held[a.planned.Cell] = t.Windows[n-1].Server.Process.RSS
	}
	switch {
	case ctx.Err() != nil:
		t.Status, f.cause = archive.Interrupted, i18n.Errorf("runner.interrupted", "interrupted")
	case f.error() != nil:
		t.Status, t.Fault = archive.Failed, faultOf(f.cause)
	default:
		t.Validity = validity.Worth(t.Findings)
		return
	}
	t.Error, t.Validity = i18n.From(f.error()).Map(e.runner.Plan.Secrets.Hide), finding.Invalid
}
