package runner

import (
	"cmp"
	"context"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// meter reads what a subject uses.
type meter interface {
	// Lap is what it used since the last lap, and what it holds now.
	Lap() (probe.Process, error)
	// Used is the CPU time of the processes that the last lap saw, since they began. It is
	// called while they are under load, by several threads.
	Used() time.Duration
	// Missing is what the last lap could not read, as in a [probe.Window].
	Missing() []string
	Close()
}

// treeMeter reads all processes of a subject.
type treeMeter struct {
	probe  *probe.ProcessProbe
	last   probe.ProcessTotals
	clocks *probe.Clocks
}

func newTreeMeter(in *subject.Instance) meter { return &treeMeter{probe: probe.NewProcess(in.PID())} }

func (m *treeMeter) Lap() (probe.Process, error) {
	now, err := m.probe.Snapshot()
	if err != nil {
		return probe.Process{}, err
	}
	used := now.Since(m.last)
	if m.last = now; m.clocks == nil || used.Begun > 0 || len(used.Ended) > 0 {
		m.clocks = m.probe.Clocks()
	}
	return used, nil
}

func (m *treeMeter) Used() time.Duration { return m.clocks.Read() }

func (m *treeMeter) Missing() []string { return m.last.Missing() }

func (m *treeMeter) Close() { m.probe.Close() }

// arm is a subject that takes turns with others, while it is up.
type arm struct {
	planned   *study.PlannedTrial
	cell      *study.Cell
	contender *contender
	trial     archive.Trial
	in        *subject.Instance // nil: not up
	held      *load.Held
	meter     meter
	rested    int64         // CLOCK_MONOTONIC at the end of its last slice
	second    probe.Process // what its slices used since the last window …
	length    time.Duration // … and how long they were
	beneath   *beneath      // the services, shared by the arms; nil if there are none
	stood     stood         // what they used meanwhile
	rest      remainder     // of what slices cut out of a load used
	lacks     []string      // what could not be read of it since the last window
	burnt     time.Duration // without load, in all …
	beside    time.Duration // … of so long
	failed    error         // why it takes no more part, and has no result
	whyAlone  i18n.Message  // why it is measured alone instead
	sealed    bool          // it was
}

// up reports whether it takes turns.
func (a *arm) up() bool { return a.in != nil && a.failed == nil && a.whyAlone.IsZero() }

// mostBeside is what an arm may use of a CPU, while another one has the load, before it is
// measured alone; it is looked at only after so long.
const (
	mostBeside  = 0.10
	sureBeside  = 300 * time.Millisecond
	namedBeside = 0.01 // from which on it is named
)

// lingers is how long after the last response of a slice a subject's work still counts as
// caused by load.
const lingers = time.Millisecond

// slice has the arm take its turn of a round.
func (a *arm) slice(ctx context.Context, s study.Slices, round int) error {
	idle, err := a.meter.Lap()
	if err != nil {
		return err
	}
	row := archive.Slice{Round: round, IdleCPU: idle.CPU}
	if a.rested > 0 {
		row.Idle = time.Duration(clock.Now() - a.rested)
	} else {
		row.IdleCPU = 0
	}
	a.burnt, a.beside = a.burnt+row.IdleCPU, a.beside+row.Idle
	turn, used, err := a.counted(ctx, s, a.planned.Seed+uint64(round))
	if err != nil {
		return err
	}
	a.rested = clock.Now()
	if turn.Void {
		a.trial.Sliced.Void++
		return nil
	}
	row.Start, row.Length, row.Requests, row.Failed, row.CPU = turn.Start, turn.Length, turn.Requests, turn.Failed, used.CPU
	row.FirstRequests, row.FirstCPU = turn.First.Requests, turn.First.Used
	a.trial.Slices = append(a.trial.Slices, row)
	a.note(used, turn.Length)
	a.stood.note(a.beneath, a.counts(&turn))
	return nil
}

// counted is the part of a slice that counts, and what the subject used for it. A closed loop
// keeps a subject busy, so its slice is cut out of the load, by the CPU's clock at both ends.
// With a rate, the part that counts begins and ends with nothing under way.
func (a *arm) counted(ctx context.Context, s study.Slices, seed uint64) (load.Turn, *probe.Process, error) {
	settle, counts := a.parts(s)
	if a.cut() {
		return a.slicedOut(ctx, load.Cut{Settle: settle, Length: counts, First: s.FirstOf()}, seed)
	}
	if _, err := a.held.Turn(ctx, settle, seed, false); err != nil {
		return load.Turn{}, nil, err
	}
	time.Sleep(lingers)
	if _, err := a.meter.Lap(); err != nil {
		return load.Turn{}, nil, err
	}
	a.beneath.lap()
	turn, err := a.held.Turn(ctx, counts, seed, true)
	if err != nil {
		return turn, nil, err
	}
	time.Sleep(lingers)
	used, err := a.meter.Lap()
	a.beneath.lap()
	return turn, &used, err
}

// cut reports whether slices are cut out of a load that goes on.
func (a *arm) cut() bool { return a.cell.Profile.Mode == profile.Closed }

// parts are how long a slice of the arm settles, and how long it counts.
func (a *arm) parts(s study.Slices) (settle, counts time.Duration) {
	if a.cut() {
		return s.Cut()
	}
	return s.Apart()
}

// slicedOut is a slice that is cut out.
func (a *arm) slicedOut(ctx context.Context, cut load.Cut, seed uint64) (load.Turn, *probe.Process, error) {
	a.beneath.lap()
	before := a.meter.Used()
	turn, err := a.held.Slice(ctx, cut, seed, a.meter.Used)
	if err != nil {
		return turn, nil, err
	}
	seen := a.meter.Used() - before
	time.Sleep(lingers)
	used, err := a.meter.Lap()
	if err != nil {
		return turn, nil, err
	}
	a.beneath.lap()
	if !sawAll(&used, seen) {
		turn.First = load.Portion{} // which is by the same clock
	}
	return turn, a.rest.partOf(&used, &turn, seen), nil
}

// counts is the part of what services did, between their readings around a turn, that counts.
// Requests of a slice that is cut out began and ended between them with those around it, so
// that in proportion to the requests it is what they cost on average.
func (a *arm) counts(turn *load.Turn) float64 {
	if a.cut() {
		return partCut(turn)
	}
	return 1
}

// partCut is the share of a load's requests that are in the slice cut out of it.
func partCut(turn *load.Turn) float64 { return float64(turn.Requests) / float64(max(turn.All, 1)) }

// partOf is the part of a load that belongs to the slice cut out of it. CPU time is by the clock
// if the clock has seen all of it, which it has not where processes came or went. Everything
// else, and then CPU time too, is in proportion to the requests.
func (r *remainder) partOf(whole *probe.Process, turn *load.Turn, seen time.Duration) *probe.Process {
	p := *whole
	r.scale(&p, partCut(turn))
	if sawAll(whole, seen) {
		p.CPU = turn.Used
		if p.CPUUser = 0; whole.CPU > 0 {
			p.CPUUser = time.Duration(float64(p.CPU) * (float64(whole.CPUUser) / float64(whole.CPU)))
		}
		p.CPUSys = p.CPU - p.CPUUser
	}
	return &p
}

// sawAll reports whether a clock that has seen so much of a load has seen what processes used for it.
func sawAll(whole *probe.Process, seen time.Duration) bool {
	return whole.Begun == 0 && len(whole.Ended) == 0 && whole.CPU-seen < whole.CPU/50+lingers
}

// note adds what a slice used to the window that it will be part of.
func (a *arm) note(p *probe.Process, length time.Duration) {
	w := &a.second
	addUsed(w, p)
	w.Begun += p.Begun
	w.Ended = append(w.Ended, p.Ended...)
	w.RSS, w.Processes, w.Threads, w.OpenFiles = max(w.RSS, p.RSS), p.Processes, max(w.Threads, p.Threads), max(w.OpenFiles, p.OpenFiles)
	a.length += length
	for _, entry := range a.meter.Missing() {
		if !slices.Contains(a.lacks, entry) {
			a.lacks = append(a.lacks, entry)
		}
	}
}

// window ends one of the trial's windows, which is made of the slices since the last one.
func (a *arm) window() {
	if a.length == 0 {
		return
	}
	client := a.held.Window()
	used := a.second
	a.trial.Windows = append(a.trial.Windows, archive.Window{
		Client: client, Server: probe.Window{Start: client.Start, Length: a.length, Process: &used, Services: a.stood.window(a.beneath), Missing: a.lacks}, Level: finding.Valid,
	})
	a.second, a.length, a.lacks = probe.Process{}, 0, nil
}

// empty reports whether no request ended in any of its slices.
func (a *arm) empty() bool {
	return len(a.trial.Slices) > 0 && !slices.ContainsFunc(a.trial.Slices, func(s archive.Slice) bool { return s.Requests+s.Failed > 0 })
}

// share is what the arm used of a CPU while others had the load; 0 if it wasn't watched
// for long enough.
func (a *arm) share() float64 {
	if a.beside < sureBeside {
		return 0
	}
	return float64(a.burnt) / float64(a.beside)
}

// toldWithin bounds how long after its connections broke a subject's death is noticed.
const toldWithin = 5 * time.Second

// awaitDeath waits until it is known whether a failing subject has died: its connections
// break before its keeper notices.
func (a *arm) awaitDeath(ctx context.Context) {
	select {
	case <-a.in.Done():
	case <-time.After(toldWithin):
	case <-ctx.Done():
	}
}

// broken says why an arm can't go on: that it died, if it did.
func (a *arm) broken(err error) error { return cmp.Or(died(a.in), err) }

// close ends the load; its result is in the trial.
func (a *arm) close(c validity.Conditions) {
	if a.held == nil {
		return
	}
	a.window()
	result := a.held.Result()
	a.held.Close()
	a.meter.Close()
	a.held = nil
	t := &a.trial
	t.Mono, t.Engine, t.Failures, t.Causes = result.Start, result.Engine, result.Failures, result.Causes
	said := append(validity.ByBothSides(result.Findings), unenforced(a.in)...)
	said = append(said, validity.WarmedUp(t.WarmUp)...)
	said = append(said, validity.VoidSlices(t.Sliced.Void, t.Sliced.Void+len(t.Slices))...)
	t.Findings = append(t.Findings, validity.Sliced(said, t.Windows, c)...)
}

// warm loads the arm, over the connections that its slices will have, for so long.
func (a *arm) warm(ctx context.Context, d time.Duration) error {
	for d > 0 {
		turn := min(d, load.MostTurn)
		if _, err := a.held.Turn(ctx, turn, a.planned.Seed, false); err != nil {
			return err
		}
		d -= turn
	}
	_, err := a.meter.Lap()
	return err
}

// idleOf is what a subject used before the load, if it is too much to run together with others.
func idleOf(idle *measure.Idle) i18n.Message {
	if idle == nil || idle.Share() < mostBeside {
		return i18n.Message{}
	}
	return besideTooMuch(idle.Share())
}

func besideTooMuch(share float64) i18n.Message {
	return i18n.New("runner.beside-too-much", "without load it uses %.0f %% of a CPU, which would be in the others' way (limit %.0f %%)", 100*share, 100*mostBeside)
}
