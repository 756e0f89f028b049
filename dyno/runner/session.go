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

// session does the trials of one run, one after the other, and archives each.
type session struct {
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
func (s *session) run(ctx context.Context) (id string, err error) {
	s.calibrated = s.calibrate(ctx)
	w, err := s.runner.Store.Create(s.manifest())
	if err != nil {
		return "", err
	}
	s.tell(Event{Kind: Begun, Run: w.ID()})
	if err = s.trials(ctx, w); err == nil {
		err = context.Cause(ctx) // the last trial was the one interrupted
	}
	err = errors.Join(err, s.keepServiceLogs(w))
	status := archive.Complete
	switch {
	case ctx.Err() != nil:
		status = archive.Interrupted
	case err != nil:
		status = archive.Failed
	}
	s.spent.keep(s.runner.StateDir)
	err = errors.Join(err, w.Finish(status, err))
	s.tell(Event{Kind: Finished, Run: w.ID()})
	return w.ID(), err
}

func (s *session) manifest() archive.Manifest {
	m := archive.Manifest{
		Study: s.runner.Study.Name, Question: s.runner.Study.Question, StudySource: string(s.runner.Study.Source), StudyPath: s.runner.Study.Path,
		Quick: s.runner.Quick, Command: s.runner.Command, Dyno: s.runner.Version, Started: time.Now(), Plan: s.plan, Reference: s.runner.Study.Reference, Report: s.runner.Study.Report, Claims: s.runner.Study.Claims,
		Accept: s.runner.Study.Accept, Until: s.runner.Study.Until,
		Machine: machine.Read(), Placement: s.places.Placement, Calibration: s.calibrated.main(), Warmup: s.runner.Study.Trial.Warmup, WarmupMost: s.runner.Study.Trial.WarmupMost, Duration: s.runner.Study.Trial.Duration,
	}
	m.Services = s.ready.archivedServices()
	for _, sub := range s.runner.Study.Subjects {
		m.Subjects = append(m.Subjects, s.ready.contenders[sub.Name].archived)
	}
	return m
}

// trials does the planned trials in order. A trial that fails is archived as
// such; only what makes going on pointless ends the run.
func (s *session) trials(ctx context.Context, w *archive.Writer) error {
	unconfine, err := confine(s.places.Generator)
	if err != nil {
		return err
	}
	defer unconfine()
	s.pace.begin()
	for i := 0; ; {
		if i == len(s.plan.Trials) {
			if more, err := s.goOn(ctx, w); err != nil || !more {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := s.next(ctx, w, i)
		if err != nil {
			return err
		}
		i += n
	}
}

// next does the planned trial with the given index, or those from it on that take turns,
// and returns how many they are.
func (s *session) next(ctx context.Context, w *archive.Writer, i int) (n int, err error) {
	runtime.GC() // so that ours does not fall into the trial
	if planned := slices.Clone(s.plan.Turns(i)); len(planned) > 1 {
		return len(planned), s.turns(ctx, w, planned)
	}
	planned := s.plan.Trials[i] // its own copy: the plan may change meanwhile
	cell := &s.plan.Cells[planned.Cell]
	s.tell(Event{Kind: TrialStarted, Trial: &planned, Cell: cell, Remaining: s.pace.remaining()})
	began := time.Now()
	t := s.trial(ctx, &planned, cell, w.SubjectLog(planned.Index))
	return 1, s.add(w, &t, cell, time.Since(began))
}

// add archives a trial that took so long, and plans its repetition if it is invalid.
func (s *session) add(w *archive.Writer, t *archive.Trial, cell *study.Cell, took time.Duration) error {
	w.HideEnv(s.ready.services.Env()) // which a subject may have printed
	if err := w.AddTrial(*t); err != nil {
		return err
	}
	if t.Sliced == nil {
		s.spent.note(s.ready.contenders[cell.Subject].Subject, t, cell.Timing(s.runner.Study.Trial), took)
	}
	s.pace.done++
	s.failing++
	if t.Status != archive.Failed {
		s.failing = 0
	}
	planned := t.PlannedTrial
	s.tell(Event{Kind: TrialFinished, Trial: &planned, Cell: cell, Outcome: t, Remaining: s.pace.remaining()})
	if err := s.disturbance.judge(t, firstBlock(&s.plan), s.pace); err != nil {
		return err
	}
	if !s.mayRepeat(t) {
		return nil
	}
	return s.repeat(w, t)
}

// replan goes on with a plan that has more trials.
func (s *session) replan(longer study.Plan) {
	s.plan, s.pace.total = longer, len(longer.Trials)
}
