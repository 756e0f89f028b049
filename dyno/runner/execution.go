package runner

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/study"
)

// execution does the trials of one run, one after the other, and archives each.
type execution struct {
	runner      *Runner // what is to be done; it stays as it is
	ready       *preparation
	places      *places
	tell        func(Event)
	plan        study.Plan // grows by repetitions, and by blocks
	pace        *pace
	calibrated  calibrations
	speeds      speeds
	disturbance disturbance
	spent       spending
	held        map[int]uint64 // bytes that the subject of a cell held at the end of its last slices
	failing     int            // trials that have failed since the last that did not
}

// run does all planned trials. It returns the ID of the archived run.
func (e *execution) run(ctx context.Context) (id string, err error) {
	e.calibrated = e.calibrate(ctx)
	w, err := e.runner.Store.Create(e.manifest())
	if err != nil {
		return "", err
	}
	e.tell(Event{Kind: Begun, Run: w.ID()})
	if err = e.trials(ctx, w); err == nil {
		err = context.Cause(ctx) // the last trial was the one interrupted
	}
	e.keepServiceLogs(w)
	status := archive.Complete
	switch {
	case ctx.Err() != nil:
		status = archive.Interrupted
	case err != nil:
		status = archive.Failed
	}
	e.spent.keep(e.runner.StateDir)
	err = errors.Join(err, w.Finish(status, err))
	e.tell(Event{Kind: Finished, Run: w.ID()})
	return w.ID(), err
}

func (e *execution) manifest() archive.Manifest {
	m := archive.Manifest{
		Study: e.runner.Study.Name, Question: e.runner.Study.Question, StudySource: string(e.runner.Study.Source), StudyPath: e.runner.Study.Path,
		Quick: e.runner.Quick, Command: e.runner.Command, Dyno: e.runner.Version, Started: time.Now(), Plan: e.plan, Reference: e.runner.Study.Reference, Report: e.runner.Study.Report, Claims: e.runner.Study.Claims,
		Accept: e.runner.Study.Accept, Until: e.runner.Study.Until,
		Machine: machine.Read(), Placement: e.places.Placement, Calibration: e.calibrated.main(), Warmup: e.runner.Study.Trial.Warmup, WarmupMost: e.runner.Study.Trial.WarmupMost, Duration: e.runner.Study.Trial.Duration,
	}
	m.Services = e.ready.archivedServices()
	for _, sub := range e.runner.Study.Subjects {
		m.Subjects = append(m.Subjects, e.ready.contenders[sub.Name].archived)
	}
	return m
}

// trials does the planned trials in order. A trial that fails is archived as
// failed; the run ends only where going on would be pointless.
func (e *execution) trials(ctx context.Context, w *archive.Writer) error {
	unconfine, err := confine(e.places.Generator)
	if err != nil {
		return err
	}
	defer unconfine()
	e.pace.begin()
	for i := 0; ; {
		if i == len(e.plan.Trials) {
			if more, err := e.goOn(ctx, w); err != nil || !more {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := e.next(ctx, w, i)
		if err != nil {
			return err
		}
		i += n
	}
}

// next does the planned trial with the given index, or all trials from it on that take
// turns, and returns how many it did.
func (e *execution) next(ctx context.Context, w *archive.Writer, i int) (n int, err error) {
	runtime.GC() // so that ours does not fall into the trial
	if planned := slices.Clone(e.plan.Turns(i)); len(planned) > 1 {
		return len(planned), e.turns(ctx, w, planned)
	}
	planned := e.plan.Trials[i] // its own copy: the plan may change meanwhile
	cell := &e.plan.Cells[planned.Cell]
	e.tell(Event{Kind: TrialStarted, Trial: &planned, Cell: cell, Remaining: e.pace.remaining()})
	began := time.Now()
	t := e.trial(ctx, &planned, cell, w.SubjectLog(planned.Index))
	return 1, e.add(w, &t, cell, time.Since(began))
}

// add archives a trial that took so long, and plans its repetition if it is invalid.
func (e *execution) add(w *archive.Writer, t *archive.Trial, cell *study.Cell, took time.Duration) error {
	w.HideEnv(e.ready.services.Env()) // which a subject may have printed
	if err := w.AddTrial(*t); err != nil {
		return err
	}
	if t.Sliced == nil {
		e.spent.note(e.ready.contenders[cell.Subject].Subject, t, cell.Timing(e.runner.Study.Trial), took)
	}
	e.pace.done++
	e.failing++
	if t.Status != archive.Failed {
		e.failing = 0
	}
	planned := t.PlannedTrial
	e.tell(Event{Kind: TrialFinished, Trial: &planned, Cell: cell, Outcome: t, Remaining: e.pace.remaining()})
	if err := e.disturbance.judge(t, firstBlock(&e.plan), e.pace); err != nil {
		return err
	}
	if !e.mayRepeat(t) {
		return nil
	}
	return e.repeat(w, t)
}

// replan goes on with a plan that has more trials.
func (e *execution) replan(longer study.Plan) {
	e.plan, e.pace.total = longer, len(longer.Trials)
}
