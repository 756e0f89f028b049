package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// trial measures one cell: start, verify, warm up, measure, stop. If something goes
// wrong, the trial's status and error say so.
func (e *execution) trial(ctx context.Context, planned *study.PlannedTrial, cell *study.Cell, log string) archive.Trial {
	t := archive.Trial{PlannedTrial: *planned, Status: archive.Complete, Started: time.Now(), Validity: finding.Valid}
	cpus := e.places.ofTrial(e.ready.contenders[cell.Subject], cell)
	t.Speed = e.speeds.begin(cpus)
	f := e.measure(ctx, &t, cell, log)
	switch {
	case ctx.Err() != nil: // what else went wrong follows from that, but not what is left
		t.Status, f.cause = archive.Interrupted, i18n.Errorf("runner.interrupted", "interrupted")
	case f.error() != nil:
		t.Status, t.Fault = archive.Failed, faultOf(f.cause)
	}
	if t.Status != archive.Complete {
		t.Error, t.Validity = i18n.From(f.error()).Map(e.runner.Plan.Secrets.Hide), finding.Invalid
	}
	e.speeds.end(&t, cpus, e.runner.Study.Accept)
	return t
}

// failure is what went wrong in a trial; nothing if both are nil.
type failure struct {
	cause error // why it was not measured to its end
	left  error // what could not be stopped, or put back, after it
}

func (f failure) error() error { return errors.Join(f.cause, f.left) }

// measure does the work of a trial.
func (e *execution) measure(ctx context.Context, t *archive.Trial, cell *study.Cell, log string) (f failure) {
	c := e.ready.contenders[cell.Subject]
	if err := e.ready.prepareServices(ctx); err != nil {
		return failure{cause: err}
	}
	settings, err := assign(e.ready.tuner, cell)
	if err != nil {
		return failure{cause: err}
	}
	defer func() { f.left = errors.Join(f.left, settings.Undo()) }()
	told, err := e.listen(c)
	if err != nil {
		return failure{cause: err}
	}
	defer told.close()
	in, err := e.ready.starter.instance(ctx, c, cell, told.env, log)
	if err != nil {
		return failure{cause: err}
	}
	t.StartUp, t.Executable, t.Size = in.StartUp(), in.ExecutableSize(), c.sizes[cell.BuildFlags]
	defer func() {
		if stopErr := in.Stop(context.WithoutCancel(ctx)); stopErr != nil {
			f.left = i18n.Errorf("runner.stopping-subject", "stopping subject %s: %w", c.Name, stopErr)
		}
	}()
	return failure{cause: e.load(ctx, t, cell, in, told)}
}

// load puts the load on the subject while the probes watch it. If the subject dies under
// it, the trial has the windows up to then.
func (e *execution) load(ctx context.Context, t *archive.Trial, cell *study.Cell, in *subject.Instance, told *inside) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a subject that dies ends its trial
		select {
		case <-in.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	e.ready.services.Watch(ctx, cancel) // so does a service
	timing := cell.Timing(e.runner.Study.Trial)
	contender := e.ready.contenders[cell.Subject]
	metrics := contender.MetricsURL(in.URL())
	trust, err := e.ready.starter.certificate.metricsTrust(contender, cell, metrics)
	if err != nil {
		return err
	}
	t.Idle = idle(ctx, in.PID())
	if timing.WarmupMost > 0 && contender.settles {
		if err := e.warmUp(ctx, t, cell, in, timing); err != nil {
			return cmp.Or(e.died(in), err)
		}
		timing.Warmup = min(timing.Warmup, rejoining)
	}
	counter := newRequestCounter(ctx, metrics, trust)
	ledger := newLedger(timing, probe.New(probe.Config{PID: in.PID(), Keepers: keepers(in), Upstream: upstreamPID(in), CPUs: e.places.ofSubject(contender, cell), Runtime: told.runtime, Metrics: metrics, Trust: trust, Services: e.ready.services.Probes(), SocketsOf: e.socketsOf(in)}))
	defer ledger.close()
	calibrated := e.calibrated.of(cell)
	spec := e.spec(t, cell, in, timing)
	spec.Calibration, spec.Uncalibrated, spec.Idle = calibrated.result, calibrated.why, t.Idle
	kept := e.keep(ctx, cell, in, timing.Duration, told.flights)
	defer func() { kept.End(ctx, t) }() // the evidence is there then, and ctx not yet cancelled
	spec.OnStart = func(measured int64) {
		ledger.begin(measured)
		kept.Begin(measured)
	}
	result, err := e.explained(ctx, t, cell, in, spec, kept.OnSlow())
	if err != nil {
		return cmp.Or(e.died(in), err)
	}
	counter.compare(ctx, result)
	t.Mono, t.Engine, t.Failures, t.Causes = result.Start, result.Engine, result.Failures, result.Causes
	t.Windows = ledger.join(ctx, result.Windows)
	said := slices.Concat(validity.ByBothSides(result.Findings), unenforced(in), validity.WarmedUp(t.WarmUp))
	t.Findings = validity.Trial(said, t.Windows, e.conditions(cell))
	t.Validity = validity.Worth(t.Findings)
	return e.died(in)
}

// spec is the load of a cell on a subject, whose windows are reported to observers.
func (e *execution) spec(t *archive.Trial, cell *study.Cell, in *subject.Instance, timing study.Timing) load.Spec {
	return load.Spec{
		Target: in.URL(), TLS: e.ready.starter.certificate.security(e.ready.contenders[cell.Subject], cell), Requests: cell.SizedRequests(), Feeds: cell.Feeds,
		Profile: cell.Profile, Seed: t.Seed, Timeout: cell.Timeout, Drain: cell.Drain,
		Warmup: timing.Warmup, Duration: timing.Duration, CPUs: e.places.ofLoops(),
		Link: cell.Link, Pacing: cell.Pacing, Accept: e.runner.Study.Accept,
		KeepParts: true,
		OnWindow: func(w measure.Window) {
			e.tell(Event{Kind: WindowDone, Trial: &t.PlannedTrial, Cell: cell, Window: &archive.Window{Client: w}})
		},
	}
}

// died is how the subject ended, if it ended by itself; or how its upstream or a service
// did, which is no fault of the subject's.
func (e *execution) died(in *subject.Instance) error {
	return cmp.Or(e.ready.services.Err(), died(in))
}

// died is how the subject or its upstream ended.
func died(in *subject.Instance) error {
	if up := in.Upstream(); up != nil && up.Err() != nil {
		return in.Err()
	}
	if err := in.Err(); err != nil {
		return &subjectError{err}
	}
	return nil
}

// conditions are those under which a cell's trials are done.
func (e *execution) conditions(cell *study.Cell) validity.Conditions {
	contender, places := e.ready.contenders[cell.Subject], e.places
	c := validity.Conditions{Profile: cell.Profile, Quota: hasQuota(contender, cell), Accept: e.runner.Study.Accept}
	if contender.URL != "" {
		return c
	}
	c.Loops = len(places.ofLoops())
	c.GeneratorCPUs, c.ItsCPUs = places.Generator, places.ofSubject(contender, cell)
	c.SubjectCPUs = float64(len(c.ItsCPUs))
	if contender.upstream != nil {
		c.UpstreamCPUs = places.Upstream
	}
	c.ServiceCPUs = e.ready.services.CPUs()
	if c.Quota {
		c.SubjectCPUs = min(c.SubjectCPUs, limitsFor(contender, cell).CPUs)
	}
	return c
}
