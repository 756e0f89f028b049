package runner

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// turns are the arms of a block: all are up at once, and they take turns to have the load.
type turns struct {
	execution *execution
	arms      []*arm
	slices    study.Slices
	rounds    int
	each      int // rounds that make a window
	random    *rand.Rand
	glanced   time.Duration // the last reading of the CPU's speed
}

// turns does the planned trials of a group, from the given index on, in slices, archives
// them, and returns how many they are. An arm that can't be measured that way is measured
// alone, in the same block.
func (e *execution) turns(ctx context.Context, w *archive.Writer, planned []study.PlannedTrial) error {
	b := e.newTurns(planned)
	began := time.Now()
	b.run(ctx, w)
	left := b.end(ctx)
	each := time.Since(began) / time.Duration(len(b.arms))
	for i, a := range b.arms {
		if !a.whyAlone.IsZero() && ctx.Err() == nil && left[i] == nil {
			e.measureAlone(ctx, w, a)
		}
		e.seal(ctx, a, failure{cause: a.failed, left: left[i]})
		if err := e.add(w, &a.trial, a.cell, each); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) newTurns(planned []study.PlannedTrial) *turns {
	timing := e.runner.Study.Trial
	b := &turns{
		execution: e, slices: timing.Slices, rounds: timing.RoundsIn(), random: rand.New(rand.NewPCG(planned[0].Seed, 3<<32)),
		each: max(1, int(time.Second/timing.Slices.Length)),
	}
	for i := range planned {
		p := planned[i]
		cell := &e.plan.Cells[p.Cell]
		a := &arm{planned: &p, cell: cell, contender: e.ready.contenders[cell.Subject]}
		a.trial = archive.Trial{PlannedTrial: p, Status: archive.Complete, Validity: finding.Valid}
		b.arms = append(b.arms, a)
	}
	return b
}

// run starts the arms, one after the other, and has them take turns.
func (b *turns) run(ctx context.Context, w *archive.Writer) {
	if err := b.execution.ready.prepareServices(ctx); err != nil {
		for _, a := range b.arms {
			a.failed = err
		}
		return
	}
	beneath := newBeneath(b.execution.ready.services.Probes())
	defer beneath.close()
	for _, a := range b.arms {
		if ctx.Err() != nil {
			return
		}
		a.beneath = beneath
		b.execution.tell(Event{Kind: TrialStarted, Trial: a.planned, Cell: a.cell, Remaining: b.execution.pace.remaining()})
		a.trial.Started = time.Now()
		a.trial.Sliced = &archive.Sliced{Rounds: b.rounds, Arms: len(b.arms), Cut: a.cut()}
		a.trial.Sliced.Settle, a.trial.Sliced.Length = a.parts(b.slices)
		if a.cut() {
			a.trial.Sliced.First = b.slices.FirstOf()
		}
		if a.whyAlone = b.room(a); a.whyAlone.IsZero() {
			if err := b.start(ctx, a, w.SubjectLog(a.planned.Index)); err != nil {
				a.failed = a.failure(err, len(b.upArms()) > 0)
			}
		}
	}
	if len(b.upArms()) < 2 {
		b.leave(i18n.New("runner.nobody-to-take-turns", "there is no other one to take turns with"))
		return
	}
	b.glance()
	for round := range b.rounds {
		for _, i := range b.random.Perm(len(b.arms)) {
			if ctx.Err() != nil {
				return
			}
			b.turn(ctx, b.arms[i], round)
		}
		if (round+1)%b.each == 0 || round == b.rounds-1 {
			b.windows()
		}
	}
}

// failure sorts out why an arm could not be brought up: that it can't run together with the
// others is no fault of its own. One that ends while others are up has another try alone, which tells.
func (a *arm) failure(err error, others bool) error {
	var start *subject.StartError
	switch {
	case !errors.As(err, &start):
		return err
	case start.PortTaken():
		a.whyAlone = i18n.New("runner.port-taken-beside", "with the others running it finds its port taken: there can be only one of it, or it listens where it wants")
	case start.Exited() && others:
		last := "-"
		if n := len(start.Last); n > 0 {
			last = start.Last[n-1]
		}
		a.whyAlone = i18n.New("runner.exits-beside", "with the others running it ended before it was ready, as where two want what there is one of, such as a file, a lock or a database's last connection; it printed last: %s", last)
	default:
		return err
	}
	return nil
}

// start brings an arm up, verifies it and warms it.
func (b *turns) start(ctx context.Context, a *arm, log string) error {
	e := b.execution
	in, err := e.ready.starter.instance(ctx, a.contender, a.cell, nil, log)
	if err != nil {
		return err
	}
	a.in = in
	t := &a.trial
	t.StartUp, t.Executable, t.Size = in.StartUp(), in.ExecutableSize(), a.contender.sizes[a.cell.BuildFlags]
	t.Idle = idle(ctx, in.PID())
	if a.whyAlone = idleOf(t.Idle); !a.whyAlone.IsZero() {
		return nil
	}
	timing := a.cell.Timing(e.runner.Study.Trial)
	warmup := timing.Warmup
	if timing.WarmupMost > 0 && a.contender.settles {
		if err := e.warmUp(ctx, t, a.cell, in, timing); err != nil {
			return a.broken(err)
		}
		warmup = min(warmup, rejoining)
	}
	spec := e.spec(t, a.cell, in, timing)
	calibrated := e.calibrated.of(a.cell)
	spec.Calibration, spec.Uncalibrated, spec.Idle = calibrated.result, calibrated.why, t.Idle
	if why := spec.CanHold(); !why.IsZero() {
		a.whyAlone = why
		return nil
	}
	if a.held, err = load.Hold(ctx, spec); err != nil {
		return a.broken(err)
	}
	a.meter = e.meter(in)
	if err := a.warm(ctx, warmup); err != nil {
		a.awaitDeath(ctx)
		return a.broken(err)
	}
	return nil
}

// meter is what reads an arm's CPU time.
func (e *execution) meter(in *subject.Instance) meter {
	if e.runner.meter != nil {
		return e.runner.meter(in)
	}
	return newTreeMeter(in)
}

// upArms are those that take turns.
func (b *turns) upArms() []*arm {
	return slices.DeleteFunc(slices.Clone(b.arms), func(a *arm) bool { return !a.up() })
}

// leave has the arms that are up measured alone.
func (b *turns) leave(why i18n.Message) {
	for _, a := range b.upArms() {
		a.whyAlone = why
	}
}

// turn is that of one arm in a round, if it still takes part.
func (b *turns) turn(ctx context.Context, a *arm, round int) {
	if !a.up() {
		return
	}
	before := b.glanced
	err := a.slice(ctx, b.slices, round)
	if err == nil {
		b.glance()
		if last := len(a.trial.Slices) - 1; before > 0 && b.glanced > 0 && last >= 0 && a.trial.Slices[last].Round == round {
			a.trial.Slices[last].Speed = (before + b.glanced) / 2
		}
		if share := a.share(); share >= mostBeside {
			a.whyAlone = besideTooMuch(share)
		}
		return
	}
	a.awaitDeath(ctx)
	if dead := b.execution.died(a.in); dead != nil {
		a.failed = dead
	} else {
		a.whyAlone = i18n.New("runner.turn-failed", "it could not take its turn: %v", err)
	}
}

// glance reads the speed of the CPU that the subjects have, or of the first of them.
func (b *turns) glance() {
	b.glanced = 0
	if cpus := b.execution.places.Subject; len(cpus) > 0 {
		b.glanced, _ = speed.Glance(cpus[0]) // where it can't be read the slices say so
	}
}

// windows ends one of each arm.
func (b *turns) windows() {
	for _, a := range b.upArms() {
		a.window()
		if n := len(a.trial.Windows); n > 0 {
			last := a.trial.Windows[n-1]
			b.execution.tell(Event{Kind: WindowDone, Trial: a.planned, Cell: a.cell, Window: &archive.Window{Client: last.Client}})
		}
		if a.empty() {
			a.whyAlone = i18n.New("runner.slices-too-short", "in %d slices of %v it gave no response: they are shorter than its responses take", len(a.trial.Slices), a.trial.Sliced.Length)
		}
	}
}

// end stops all arms at once, and returns for each what could not be stopped.
func (b *turns) end(ctx context.Context) []error {
	left := make([]error, len(b.arms))
	shares := b.shares()
	var stopping sync.WaitGroup
	for i, a := range b.arms {
		if a.in == nil {
			continue
		}
		if a.failed == nil {
			a.failed = b.execution.died(a.in)
		}
		a.close(b.execution.conditions(a.cell))
		a.trial.Findings = append(a.trial.Findings, finding.Accept(b.busyBeside(a, shares), b.execution.runner.Study.Accept)...)
		stopping.Go(func() {
			if err := a.in.Stop(context.WithoutCancel(ctx)); err != nil {
				left[i] = i18n.Errorf("runner.stopping-subject", "stopping subject %s: %w", a.contender.Name, err)
			}
		})
	}
	stopping.Wait()
	return left
}
