package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/probe"
	"dyno/lab/study"
	"dyno/lab/subject"
	"dyno/lab/validity"
)

// trial measures one cell: start, verify, warm up, measure, stop. What goes
// wrong is in the trial's status and error.
func (r *Runner) trial(ctx context.Context, planned *study.PlannedTrial, cell *study.Cell, log string) archive.Trial {
	t := archive.Trial{PlannedTrial: *planned, Status: archive.Complete, Started: time.Now(), Validity: load.Valid}
	t.Speed = r.speedBefore(cell)
	err := r.measure(ctx, &t, cell, log)
	switch {
	case ctx.Err() != nil:
		t.Status, t.Error, t.Validity = archive.Interrupted, "interrupted", load.Invalid
	case err != nil:
		t.Status, t.Error, t.Validity = archive.Failed, r.Plan.Secrets.Hide(err.Error()), load.Invalid
	}
	r.speedAfter(&t, cell)
	return t
}

func (r *Runner) measure(ctx context.Context, t *archive.Trial, cell *study.Cell, log string) (err error) {
	c := r.contenders[cell.Subject]
	settings, err := r.assign(cell)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, settings.Undo()) }()
	var env map[string]string
	var runtime *probe.RuntimeListener
	if c.goProbe && c.URL == "" {
		dir, err := os.MkdirTemp("", "dyno-")
		if err != nil {
			return fmt.Errorf("making a folder for the runtime probe: %w", err)
		}
		defer os.RemoveAll(dir)
		if runtime, err = probe.NewRuntimeListener(filepath.Clean(dir)); err != nil {
			return err
		}
		defer runtime.Close()
		name, value, _ := strings.Cut(runtime.Env(), "=")
		env = map[string]string{name: value}
	}
	in, err := r.instance(ctx, c, cell, env, log)
	if err != nil {
		return err
	}
	t.StartUp = in.StartUp()
	defer func() {
		if stopErr := in.Stop(context.WithoutCancel(ctx)); stopErr != nil {
			err = errors.Join(err, fmt.Errorf("stopping subject %s: %w", c.Name, stopErr))
		}
	}()
	return r.load(ctx, t, cell, in, runtime)
}

// load puts the load on the subject while the probes watch it.
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
		Target: in.URL(), TLS: r.security(contender, cell), Requests: cell.Asked(), Feeds: cell.Feeds, Profile: cell.Profile, Seed: t.Seed, Timeout: cell.Timeout,
		Warmup: timing.Warmup, Duration: timing.Duration, CPUs: r.loopCPUs(),
		Link: cell.Link, Pacing: cell.Pacing, Accept: r.Study.Accept,
		Calibration: r.calibration,
		OnStart:     ledger.begin,
		OnWindow: func(w load.Window) {
			r.tell(Event{Kind: WindowDone, Trial: &t.PlannedTrial, Cell: cell, Window: &archive.Window{Client: w}})
		},
	})
	if died := in.Err(); died != nil {
		err = died
	}
	if err != nil {
		return err
	}
	counter.compare(ctx, result)
	t.Mono, t.Engine, t.Failures = result.Start, result.Engine, result.Failures
	t.Windows = ledger.join(ctx, result.Windows)
	said := append(result.Findings, unenforced(in)...)
	t.Findings = validity.Trial(said, t.Windows, r.conditions(cell))
	t.Validity = load.Worst(t.Findings)
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
