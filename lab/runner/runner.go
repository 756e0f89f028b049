package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/machine"
	"dyno/lab/study"
	"dyno/lab/subject"
)

// Runner carries out one study. Fill in the exported fields, then call Run.
type Runner struct {
	Study    *study.Study
	Plan     study.Plan
	Quick    bool
	Command  []string // that repeats the run
	Version  string   // of dyno
	Catalog  *subject.Catalog
	CacheDir string // for builds
	StateDir string // for the journal of running subjects, and the lock
	Store    archive.Store
	// Calibrate, if set, measures the generator before the first trial. A run
	// whose generator can't be measured goes on without.
	Calibrate func(context.Context, *load.Spec) (*load.Calibration, error)
	// Repeats is how often a trial that came out invalid is repeated at the end of
	// its block; 0 is never. See [Runner.mayRepeat] for the bound on all.
	Repeats int
	// KeepGoing has a run go on to its end though its whole first block came out
	// invalid for the machine's faults; otherwise it ends with a [*DisturbedError].
	KeepGoing bool
	// Decide, if set, is asked after each block of a run that goes on block by
	// block ([study.Until]) how far it is. The run is as archived so far.
	Decide func(*archive.Run) (Progress, error)
	// Observe, if set, is told what happens, from one goroutine at a time.
	Observe func(Event)

	contenders  map[string]*contender
	placement   archive.Placement
	online      []int         // CPUs
	shown       []study.Cell  // those of the plan without secrets, for observers
	scratch     string        // folder of the run's own, gone at its end
	certificate *certificate  // of the subjects that listen with TLS; nil if none does
	root        string        // folder of the machine's settings, "/" if empty; another one in tests
	observing   chan struct{} // holds the right to call Observe
	calibration *load.Calibration
	speeds      []*archive.Speed // of the trials done so far
	done        int
	usable      bool          // a trial can be used, or not for a reason that is none of the machine's
	robbedBy    []string      // names of the findings for which those done can't be
	failing     int           // trials that have failed since the last that did not
	measuring   time.Time     // when the first trial began
	ahead       time.Duration // what is left of a run that goes on block by block, estimated …
	estimated   time.Time     // … at this instant
}

// Run does all planned trials. It returns the ID of the archived run, which is
// empty if it failed or was interrupted before the first trial. An interrupted
// or failed run is kept.
func (r *Runner) Run(ctx context.Context) (id string, err error) {
	defer func() { err = r.Plan.Secrets.Error(err) }()
	r.contenders = make(map[string]*contender)
	r.observing = make(chan struct{}, 1)
	r.shown = archive.RedactPlan(r.Plan).Cells
	lock, err := lockMachine(r.StateDir)
	if err != nil {
		return "", err
	}
	defer lock.release()
	if _, err := subject.Sweep(ctx, r.StateDir); err != nil {
		return "", fmt.Errorf("ending what an earlier run left behind: %w", err)
	}
	if err := r.tuner().PutBack(); err != nil {
		return "", fmt.Errorf("putting back settings that an earlier run has left changed: %w", err)
	}
	if err := r.place(); err != nil {
		return "", err
	}
	if err := r.checkSettings(); err != nil {
		return "", err
	}
	r.look(ctx)
	if r.scratch, err = newScratch(r.StateDir); err != nil {
		return "", err
	}
	defer os.RemoveAll(r.scratch)
	if err := r.certify(); err != nil {
		return "", err
	}
	defer r.certificate.remove()
	if err := r.prepare(ctx); err != nil {
		return "", err
	}
	if err := r.check(ctx); err != nil {
		return "", err
	}
	r.calibrate(ctx)
	w, err := r.Store.Create(r.manifest())
	if err != nil {
		return "", err
	}
	r.tell(Event{Kind: Begun, Run: w.ID()})
	if err = r.trials(ctx, w); err == nil {
		err = context.Cause(ctx) // the last trial was the one interrupted
	}
	status := archive.Complete
	switch {
	case ctx.Err() != nil:
		status = archive.Interrupted
	case err != nil:
		status = archive.Failed
	}
	err = errors.Join(err, w.Finish(status, err))
	r.tell(Event{Kind: Finished, Run: w.ID()})
	return w.ID(), err
}

// trials does the planned trials in order. A trial that fails is archived as
// such; only what makes going on pointless ends the run.
func (r *Runner) trials(ctx context.Context, w *archive.Writer) error {
	unconfine, err := confine(r.placement.Generator)
	if err != nil {
		return err
	}
	defer unconfine()
	r.measuring = time.Now()
	r.ahead, r.estimated = r.Study.Until.Time, r.measuring
	for i := 0; ; i++ {
		if i == len(r.Plan.Trials) {
			if more, err := r.goOn(ctx, w); err != nil || !more {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.next(ctx, w, i); err != nil {
			return err
		}
	}
}

// next does the planned trial with the given index, archives it, and plans its
// repetition if it is invalid.
func (r *Runner) next(ctx context.Context, w *archive.Writer, i int) error {
	planned := r.Plan.Trials[i] // its own copy: the plan may change meanwhile
	cell := &r.Plan.Cells[planned.Cell]
	r.tell(Event{Kind: TrialStarted, Trial: &planned, Cell: cell, Remaining: r.remaining()})
	runtime.GC() // so that ours does not fall into the trial
	t := r.trial(ctx, &planned, cell, w.SubjectLog(planned.Index))
	if err := w.AddTrial(t); err != nil {
		return err
	}
	r.done++
	r.failing++
	if t.Status != archive.Failed {
		r.failing = 0
	}
	r.tell(Event{Kind: TrialFinished, Trial: &planned, Cell: cell, Outcome: &t, Remaining: r.remaining()})
	if err := r.disturbance(&t); err != nil {
		return err
	}
	if !r.mayRepeat(&t) {
		return nil
	}
	return r.repeat(w, &t)
}

// remaining estimates the time to the end from the trials done so far.
func (r *Runner) remaining() time.Duration {
	if r.Study.Until.Sequential() {
		return max(0, r.ahead-time.Since(r.estimated))
	}
	left := time.Duration(len(r.Plan.Trials) - r.done)
	if r.done == 0 {
		return r.Plan.Estimate
	}
	return time.Since(r.measuring) / time.Duration(r.done) * left
}

// place decides which CPUs generator and subjects get.
func (r *Runner) place() error {
	online, err := subject.OnlineCPUs()
	if err != nil {
		return err
	}
	if err := checkCPUSets(r.Study.Subjects, online); err != nil {
		return err
	}
	p := r.Study.Placement
	generator, subj, _, err := subject.Place(p.Mode, p.Generator, p.Subject, online)
	if err != nil {
		return fmt.Errorf("placement: %w", err)
	}
	mode := p.Mode
	if mode == "" {
		mode = subject.Split
	}
	r.placement, r.online = archive.Placement{Mode: mode, Generator: generator, Subject: subj}, online
	for i := range r.Plan.Cells {
		if _, err := r.Plan.Cells[i].PickCPUs(subj, online); err != nil {
			return fmt.Errorf("subject %s: %w", r.Plan.Cells[i].Subject, err)
		}
	}
	return nil
}

// calibrate measures the generator as the run's fastest load will use it.
func (r *Runner) calibrate(ctx context.Context) {
	if r.Calibrate == nil || len(r.Plan.Cells) == 0 {
		return
	}
	fastest := &r.Plan.Cells[0]
	for i := range r.Plan.Cells {
		if c := &r.Plan.Cells[i]; c.Profile.TopRate() > fastest.Profile.TopRate() {
			fastest = c
		}
	}
	if c, err := r.Calibrate(ctx, &load.Spec{Profile: fastest.Profile, Pacing: fastest.Pacing, CPUs: r.loopCPUs()}); err == nil {
		r.calibration = c
	}
}

// loopCPUs are the CPUs to pin load loops to; none if generator and subject
// share theirs, where pinning would keep the kernel from balancing them.
func (r *Runner) loopCPUs() []int {
	if r.placement.Mode == subject.Shared {
		return nil
	}
	return r.placement.Generator
}

func (r *Runner) manifest() archive.Manifest {
	m := archive.Manifest{
		Study: r.Study.Name, Question: r.Study.Question, StudySource: string(r.Study.Source), StudyPath: r.Study.Path,
		Quick: r.Quick, Command: r.Command, Dyno: r.Version, Started: time.Now(), Plan: r.Plan, Reference: r.Study.Reference, Report: r.Study.Report, Claims: r.Study.Claims,
		Accept: r.Study.Accept, Until: r.Study.Until,
		Machine: machine.Read(), Placement: r.placement, Calibration: r.calibration, Warmup: r.Study.Trial.Warmup, Duration: r.Study.Trial.Duration,
	}
	for _, s := range r.Study.Subjects {
		m.Subjects = append(m.Subjects, r.contenders[s.Name].archived)
	}
	return m
}

// tell passes an event to the observer, without secrets. Builds, loads and probes
// tell from goroutines of their own.
func (r *Runner) tell(e Event) {
	if r.Observe == nil {
		return
	}
	r.observing <- struct{}{}
	defer func() { <-r.observing }()
	e.Time, e.Done, e.Total = time.Now(), r.done, len(r.Plan.Trials)
	e.Line = r.Plan.Secrets.Hide(e.Line)
	if e.Cell != nil {
		e.Cell = &r.shown[e.Cell.Index]
	}
	r.Observe(e)
}
