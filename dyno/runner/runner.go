package runner

import (
	"context"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
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
	Calibrate func(context.Context, *load.Spec) (*measure.Calibration, error)
	// Repeats is how often a trial that came out invalid is repeated at the end of
	// its block; 0 is never. All repetitions together remain below half of the trials
	// that were planned.
	Repeats int
	// KeepGoing makes a run go on to its end though all of its first block came out
	// invalid for the machine's faults; otherwise it ends with a [*DisturbedError].
	KeepGoing bool
	// Decide, if set, is called after each block of a run that goes on block by block
	// ([study.Until]), and returns how far it is. The run is as archived so far.
	Decide func(*archive.Run) (Progress, error)
	// Observe, if set, is called with what happens, from one goroutine at a time.
	Observe func(Event)

	root  string                        // folder of the machine's settings, "/" if empty; another one in tests
	ready func(*preparation)            // if set, is shown what the trials begin with; tests look into it
	meter func(*subject.Instance) meter // if set, reads what subjects in turns use; tests know it
}

// Run does all planned trials. It returns the ID of the archived run, which is
// empty if it failed or was interrupted before the first trial. An interrupted
// or failed run is kept.
func (r *Runner) Run(ctx context.Context) (id string, err error) {
	defer func() { err = r.Plan.Secrets.Error(err) }()
	lock, err := lockMachine(r.StateDir)
	if err != nil {
		return "", err
	}
	defer lock.release()
	if _, err := subject.Sweep(ctx, r.StateDir); err != nil {
		return "", i18n.Errorf("runner.cleaning-up", "ending what an earlier run left behind: %w", err)
	}
	p := newPace(r)
	tell := newNarrator(r, p).tell
	ready := newPreparation(r, tell)
	defer ready.close()
	if err := ready.run(ctx); err != nil {
		return "", err
	}
	if r.ready != nil {
		r.ready(ready)
	}
	e := &execution{runner: r, ready: ready, places: ready.starter.places, tell: tell, plan: r.Plan, pace: p, disturbance: disturbance{ignored: r.KeepGoing}, spent: make(spending), held: make(map[int]uint64)}
	return e.run(ctx)
}
