package archive

import (
	"fmt"
	"path/filepath"
	"time"

	"dyno.example/dyno/finding"
)

// Broken is a law that a record breaks though every file is as it was sealed: no trial
// can have gone like that, so its content was made up or changed.
type Broken struct {
	Law    string // such as "no more responses than requests"
	Trial  int
	Window int // Index of the window; meaningless if Whole
	Whole  bool
	Detail string // what the record says
}

func (b *Broken) Error() string {
	where := fmt.Sprintf("trial %d", b.Trial)
	if !b.Whole {
		where += fmt.Sprintf(", window %d", b.Window)
	}
	return fmt.Sprintf("%s breaks the law %q: %s", where, b.Law, b.Detail)
}

// The laws. Each holds for every trial that was really done, disturbed ones
// included.
const (
	lawPlan        = "a trial is one of the plan"
	lawWhole       = "a complete run has all its trials"
	lawUsable      = "a run says how many of its trials can be used"
	lawGrid        = "windows are seconds of one clock"
	lawResponses   = "no more responses than requests"
	lawVerdict     = "a trial is worth what its findings say"
	lawOrder       = "quantiles rise"
	lawCounted     = "every response is timed once"
	lawPatience    = "no response takes longer than its time limit"
	lawParts       = "the service time is a part of the response time"
	lawLag         = "a window's figures are those of its histograms"
	lawSliced      = "slices add up to windows"
	lawLittle      = "what is in flight is throughput × response (Little)"
	windowLength   = time.Second
	patienceGrace  = time.Second // timers are looked at between other things
	littleFactor   = 2           // apart, beyond what the edges explain
	littleRequests = 1000        // below which edges outweigh the law
)

// checkPlan holds the plan to itself: its trials are counted from 0, of cells
// that there are, and what repeats another repeats an earlier one of its block
// and cell.
func checkPlan(path string, m *Manifest) error {
	broken := func(i int, format string, args ...any) error {
		return &Damage{File: path, Err: &Broken{Law: lawPlan, Trial: i, Whole: true, Detail: fmt.Sprintf(format, args...)}}
	}
	for i, t := range m.Plan.Trials {
		switch {
		case t.Index != i:
			return broken(i, "it has the index %d", t.Index)
		case t.Cell < 0 || t.Cell >= len(m.Plan.Cells):
			return broken(i, "there is no cell %d", t.Cell)
		case t.Block < 0:
			return broken(i, "there is no block %d", t.Block)
		}
		if t.Repeats == nil {
			continue
		}
		if of := *t.Repeats; of < 0 || of >= i || m.Plan.Trials[of].Cell != t.Cell || m.Plan.Trials[of].Block != t.Block {
			return broken(i, "it is said to repeat trial %d, which is not an earlier one of its cell and block", of)
		}
	}
	return nil
}

// checkWhole looks for the trials that a run that says it is complete must have.
func checkWhole(run *Run) error {
	if run.Manifest.Status != Complete {
		return checkUsable(run)
	}
	for i := range run.Manifest.Plan.Trials {
		if i >= len(run.Trials) || run.Trials[i].Index != i {
			return &Damage{File: trialFolder(run.Dir, i), Err: &Broken{Law: lawWhole, Trial: i, Whole: true, Detail: "it is in the plan and not in the archive"}}
		}
	}
	return checkUsable(run)
}

// checkUsable counts the trials that can be used, if the run says how many.
func checkUsable(run *Run) error {
	if run.Manifest.Usable == nil {
		return nil
	}
	usable := 0
	for i := range run.Trials {
		if run.Trials[i].Usable() {
			usable++
		}
	}
	if said := *run.Manifest.Usable; said != usable {
		detail := fmt.Sprintf("%d are said to be usable, and %d are", said, usable)
		return &Damage{File: filepath.Join(run.Dir, ManifestFile), Err: &Broken{Law: lawUsable, Trial: len(run.Trials) - 1, Whole: true, Detail: detail}}
	}
	return nil
}

// checkTrial holds a trial to the laws that take no histograms.
func checkTrial(folder string, t *Trial, m *Manifest) error {
	damage := func(file string, b *Broken) error {
		b.Trial = t.Index
		return &Damage{File: filepath.Join(folder, file), Err: b}
	}
	if b := planned(t, m); b != nil {
		return damage(trialFile, b)
	}
	if b := verdict(t); b != nil {
		return damage(trialFile, b)
	}
	if b := sliced(t); b != nil {
		return damage(slicesFile, b)
	}
	for _, law := range []func(*Trial) *Broken{levels, grid, responses, ordered} {
		if b := law(t); b != nil {
			return damage(windowsFile, b)
		}
	}
	return nil
}

// planned: block, cell and seed are those of the plan.
func planned(t *Trial, m *Manifest) *Broken {
	if t.Index >= len(m.Plan.Trials) {
		return &Broken{Law: lawPlan, Whole: true, Detail: fmt.Sprintf("the plan has %d trials", len(m.Plan.Trials))}
	}
	p := m.Plan.Trials[t.Index]
	if p.Block != t.Block || p.Cell != t.Cell || p.Seed != t.Seed || p.InSlices != t.InSlices {
		return &Broken{Law: lawPlan, Whole: true, Detail: fmt.Sprintf("it is of block %d, cell %d and seed %d, planned were %d, %d and %d", t.Block, t.Cell, t.Seed, p.Block, p.Cell, p.Seed)}
	}
	return nil
}

// verdict: a trial that was completed is worth what the worst of its findings says
// that isn't accepted.
func verdict(t *Trial) *Broken {
	if want := finding.Worst(t.Findings); t.Status == Complete && t.Validity != want {
		return &Broken{Law: lawVerdict, Whole: true, Detail: fmt.Sprintf("it is called %s, its findings make it %s", t.Validity, want)}
	}
	return nil
}

// levels: so are its windows.
func levels(t *Trial) *Broken {
	for i := range t.Windows {
		w := &t.Windows[i]
		if want := finding.Worst(w.Why); w.Level != want {
			return &Broken{Law: lawVerdict, Window: w.Client.Index, Detail: fmt.Sprintf("it is called %s, its findings make it %s", w.Level, want)}
		}
	}
	return nil
}

// grid: windows follow each other without a gap, and begin at whole seconds from the
// start of the measured time. Only the first may begin later, with the load, and only
// the last may be shorter or, while responses are waited for, longer.
func grid(t *Trial) *Broken {
	if t.Sliced != nil {
		return slicedGrid(t)
	}
	for i := range t.Windows {
		w := &t.Windows[i].Client
		at := t.Mono + int64(w.Index)*int64(windowLength)
		first, last := i == 0, i == len(t.Windows)-1
		switch {
		case w.Length < 0, !last && w.Length > windowLength:
			return &Broken{Law: lawGrid, Window: w.Index, Detail: fmt.Sprintf("it is %v long", w.Length)}
		case w.Start != at && !(first && w.Start > at && w.Start < at+int64(windowLength)):
			return &Broken{Law: lawGrid, Window: w.Index, Detail: fmt.Sprintf("it begins %v from where second %d does", time.Duration(w.Start-at), w.Index)}
		case !first && w.Index != t.Windows[i-1].Client.Index+1:
			return &Broken{Law: lawGrid, Window: w.Index, Detail: fmt.Sprintf("it follows window %d", t.Windows[i-1].Client.Index)}
		case !last && w.Start+int64(w.Length) != at+int64(windowLength):
			return &Broken{Law: lawGrid, Window: w.Index, Detail: fmt.Sprintf("it ends %v before the next one begins", time.Duration(at+int64(windowLength)-w.Start-int64(w.Length)))}
		}
	}
	return nil
}

// responses: up to the end of any window, there were no more responses than requests.
func responses(t *Trial) *Broken {
	var sent, responded uint64
	for i := range t.Windows {
		w := &t.Windows[i].Client
		sent += w.Sent
		responded += w.Completed + w.Drained + w.Errors.Wrong()
		if responded > sent {
			return &Broken{Law: lawResponses, Window: w.Index, Detail: fmt.Sprintf("%d requests had a response until then and %d were sent", responded, sent)}
		}
	}
	return nil
}

// ordered: a higher quantile is not lower.
func ordered(t *Trial) *Broken {
	for i := range t.Windows {
		w := &t.Windows[i]
		if r := w.Server.Runtime; r != nil && !w.Server.Lacks("sched") && (r.SchedP50 > r.SchedP99 || r.SchedP99 > r.SchedMax) {
			return &Broken{Law: lawOrder, Window: w.Client.Index, Detail: fmt.Sprintf("waits to be scheduled have p50 %v, p99 %v and maximum %v", r.SchedP50, r.SchedP99, r.SchedMax)}
		}
	}
	return nil
}
