package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dyno/lab/archive"
	"dyno/lab/finding"
	"dyno/lab/load"
	"dyno/lab/probe"
	"dyno/lab/study"
	"dyno/lab/subject"
	"dyno/lab/validity"
)

// trial measures one cell: start, verify, warm up, measure, stop. What goes
// wrong is in the trial's status and error.
func (r *Runner) trial(ctx context.Context, planned *study.PlannedTrial, cell *study.Cell, log string) archive.Trial {
	t := archive.Trial{PlannedTrial: *planned, Status: archive.Complete, Started: time.Now(), Validity: finding.Valid}
	t.Speed = r.speedBefore(cell)
	err, left := r.measure(ctx, &t, cell, log)
	switch {
	case ctx.Err() != nil: // what else went wrong follows from that, but not what is left
		t.Status, err = archive.Interrupted, errors.New("interrupted")
	case err != nil || left != nil:
		t.Status, t.Fault = archive.Failed, faultOf(err)
	}
	if t.Status != archive.Complete {
		t.Error, t.Validity = r.Plan.Secrets.Hide(errors.Join(err, left).Error()), finding.Invalid
	}
	r.speedAfter(&t, cell)
	return t
}

// measure does the work of a trial. left is what could not be stopped, or put
// back, after it.
func (r *Runner) measure(ctx context.Context, t *archive.Trial, cell *study.Cell, log string) (err, left error) {
	c := r.contenders[cell.Subject]
	settings, err := r.assign(cell)
	if err != nil {
		return err, nil
	}
	defer func() { left = errors.Join(left, settings.Undo()) }()
	var env map[string]string
	var runtime *probe.RuntimeListener
	if c.goProbe && c.URL == "" {
		var remove func()
		if runtime, remove, err = listenToRuntime(r.scratch); err != nil {
			return err, nil
		}
		defer remove()
		name, value, _ := strings.Cut(runtime.Env(), "=")
		env = map[string]string{name: value}
	}
	in, err := r.instance(ctx, c, cell, env, log)
	if err != nil {
		return err, nil
	}
	t.StartUp, t.Executable = in.StartUp(), in.ExecutableSize()
	defer func() {
		if stopErr := in.Stop(context.WithoutCancel(ctx)); stopErr != nil {
			left = fmt.Errorf("stopping subject %s: %w", c.Name, stopErr)
		}
	}()
	return r.load(ctx, t, cell, in, runtime), nil
}

// listenToRuntime listens for the helpers of Go programs in a folder of the run's,
// until remove is called. Sockets can have short names only: where that folder
// has a long one, it is a temporary one, and where that has, too, in /tmp.
func listenToRuntime(scratch string) (l *probe.RuntimeListener, remove func(), err error) {
	var failed []error
	for _, parent := range []string{scratch, "", "/tmp"} {
		dir, err := os.MkdirTemp(parent, "dyno-")
		if err != nil {
			failed = append(failed, fmt.Errorf("making a folder for the runtime probe: %w", err))
			continue
		}
		if l, err = probe.NewRuntimeListener(dir); err == nil {
			return l, func() { l.Close(); os.RemoveAll(dir) }, nil
		}
		os.RemoveAll(dir)
		failed = append(failed, err)
	}
	return nil, nil, errors.Join(failed...)
}

// load puts the load on the subject while the probes watch it. Of a subject that
// dies under it, the trial has the windows up to then.
func (r *Runner) load(ctx context.Context, t *archive.Trial, cell *study.Cell, in *subject.Instance, runtime *probe.RuntimeListener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a subject that dies ends its trial
		select {
		case <-in.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	timing := cell.Timing(r.Study.Trial)
	contender := r.contenders[cell.Subject]
	metrics := contender.MetricsURL(in.URL())
	trust, err := r.metricsTrust(contender, cell, metrics)
	if err != nil {
		return err
	}
	counter := newRequestCounter(ctx, metrics, trust)
	ledger := newLedger(timing, probe.New(probe.Config{PID: in.PID(), CPUs: r.subjectCPUs(cell), Runtime: runtime, Metrics: metrics, Trust: trust}))
	defer ledger.close()
	result, err := load.Run(ctx, load.Spec{
		Target: in.URL(), TLS: r.security(contender, cell), Requests: cell.Asked(), Feeds: cell.Feeds, Profile: cell.Profile, Seed: t.Seed, Timeout: cell.Timeout, Drain: cell.Drain,
		Warmup: timing.Warmup, Duration: timing.Duration, CPUs: r.loopCPUs(),
		Link: cell.Link, Pacing: cell.Pacing, Accept: r.Study.Accept,
		Calibration: r.calibration,
		OnStart:     ledger.begin,
		OnWindow: func(w load.Window) {
			r.tell(Event{Kind: WindowDone, Trial: &t.PlannedTrial, Cell: cell, Window: &archive.Window{Client: w}})
		},
	})
	if err != nil {
		return cmp.Or(died(in), err)
	}
	counter.compare(ctx, result)
	t.Mono, t.Engine, t.Failures = result.Start, result.Engine, result.Failures
	t.Windows = ledger.join(ctx, result.Windows)
	said := append(result.Findings, unenforced(in)...)
	t.Findings = validity.Trial(said, t.Windows, r.conditions(cell))
	t.Validity = validity.Worth(t.Findings)
	return died(in)
}

// died is how the subject ended, if it did by itself.
func died(in *subject.Instance) error {
	if err := in.Err(); err != nil {
		return &subjectError{err}
	}
	return nil
}

// conditions are what a cell's trials are done under.
func (r *Runner) conditions(cell *study.Cell) validity.Conditions {
	contender := r.contenders[cell.Subject]
	c := validity.Conditions{Profile: cell.Profile, Quota: hasQuota(contender, cell), Accept: r.Study.Accept}
	if contender.URL != "" {
		return c
	}
	c.Loops = len(r.loopCPUs())
	c.SubjectCPUs = float64(len(r.subjectCPUs(cell)))
	c.GeneratorCPUs, c.ItsCPUs = r.placement.Generator, r.subjectCPUs(cell)
	if c.Quota {
		c.SubjectCPUs = min(c.SubjectCPUs, limitsFor(contender, cell).CPUs)
	}
	return c
}

// subjectCPUs are the CPUs that a cell's subject runs on.
func (r *Runner) subjectCPUs(cell *study.Cell) []int {
	if set := limitsOf(r.contenders[cell.Subject].Subject).CPUSet; len(set) > 0 {
		return set
	}
	cpus, err := cell.PickCPUs(r.placement.Subject, r.online)
	if err != nil {
		return r.placement.Subject // refused before, when CPUs were placed
	}
	return cpus
}
