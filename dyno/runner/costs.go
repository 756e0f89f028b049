package runner

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// cost is what a trial of a shipped subject took on this machine, as runs have found.
type cost struct {
	Beside time.Duration `json:"beside"`           // start, verification, stop and archive: all but its loads, ns
	Warmup time.Duration `json:"warmup,omitempty"` // until the subject was steady, or that was given up; ns
}

// costs are those of the subjects, by their names in the catalog.
type costs map[string]cost

// Where they are kept below the state folder, and of how many subjects at most.
const (
	costsFile = "costs.json"
	mostCosts = 1000
)

// Guesses of a subject that has not run here, and what a calibration takes.
const (
	besideUsual     = 500 * time.Millisecond
	besideSlow      = 4 * time.Second // of one that is given more time than others to be ready
	oneCalibration  = 1300 * time.Millisecond
	lookingAtOthers = 300 * time.Millisecond
)

// readCosts returns what is known. A file that doesn't exist, or is damaged, is no
// error: estimates are guesses then.
func readCosts(stateDir string) costs {
	known := make(costs)
	data, err := os.ReadFile(filepath.Join(stateDir, costsFile))
	if err != nil || json.Unmarshal(data, &known) != nil {
		return make(costs)
	}
	return known
}

// write saves what is known, atomically.
func (c costs) write(stateDir string) error {
	if len(c) > mostCosts {
		return nil
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(stateDir, costsFile)
	if err := os.WriteFile(path+".tmp", append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// spending collects what the trials of a run cost.
type spending map[string][]cost

// note takes a trial that took so long in all.
func (s spending) note(of study.Subject, t *archive.Trial, timing study.Timing, took time.Duration) {
	if of.Use == "" || t.Status != archive.Complete {
		return
	}
	one := cost{Beside: took - timing.Duration - timing.Warmup}
	if t.WarmUp != nil {
		one.Warmup = t.WarmUp.Lasted()
		one.Beside = took - timing.Duration - one.Warmup - min(timing.Warmup, rejoining)
	}
	one.Beside = max(one.Beside, 0)
	s[of.Use] = append(s[of.Use], one)
}

// keep adds the medians of a run to what is known. That it can't be kept makes the next
// estimate worse and nothing else.
func (s spending) keep(stateDir string) {
	if len(s) == 0 {
		return
	}
	known := readCosts(stateDir)
	for name, list := range s {
		known[name] = cost{Beside: middle(list, func(c cost) time.Duration { return c.Beside }), Warmup: middle(list, func(c cost) time.Duration { return c.Warmup })}
	}
	_ = known.write(stateDir)
}

func middle(list []cost, of func(cost) time.Duration) time.Duration {
	var all []time.Duration
	for _, c := range list {
		all = append(all, of(c))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// Estimate is how long a plan takes here after its builds: the checks of its subjects, the
// calibration, and its trials with what each takes apart from its loads, as earlier runs on
// this machine have found it. For a run that goes on block by block it includes what comes
// after the first block. For a subject that has not run here it is a guess; a warm-up until
// the subject is steady is taken to last as long as it may. Repeated trials come on top.
func Estimate(s *study.Study, plan *study.Plan, catalog *subject.Catalog, stateDir string) (whole time.Duration, ahead study.Ahead) {
	known, sum := readCosts(stateDir), float64(lookingAtOthers)
	sum += float64(min(len(fastestOfEach(plan.Cells)), mostCalibrations)) * float64(oneCalibration)
	each := make(map[string]cost)
	for _, sub := range s.Subjects {
		each[sub.Name] = expected(sub, s.Trial, catalog, known)
		sum += float64(len(variants(plan.Cells, sub.Name))) * float64(each[sub.Name].Beside)
	}
	block := 0.0
	for i := range plan.Trials {
		if plan.Trials[i].Block > 0 {
			break
		}
		c := &plan.Cells[plan.Trials[i].Cell]
		load := c.Timing(s.Trial).Duration
		if plan.Trials[i].InSlices {
			load = s.Trial.LengthInSlices()
		}
		one := each[c.Subject]
		block += float64(one.Beside + one.Warmup + load)
	}
	return atMost(sum + float64(plan.Blocks())*block), s.Ahead(atMost(sum), atMost(block))
}

// atMost is a duration that more can be added to.
func atMost(sum float64) time.Duration { return time.Duration(min(sum, math.MaxInt64/2)) }

// expected is what a trial of a subject will cost, with all of its warm-up.
func expected(sub study.Subject, timing study.Timing, catalog *subject.Catalog, known costs) cost {
	one, seen := known[sub.Use]
	if sub.Use == "" || !seen {
		one = cost{Beside: besideUsual}
	}
	settles := true
	if sub.Use != "" && catalog != nil {
		if m, err := catalog.Get(sub.Use); err == nil {
			settles = m.Warmup == subject.WarmupSteady
			if !seen && m.ReadyWithin > 0 {
				one.Beside = besideSlow
			}
		}
	}
	switch {
	case timing.WarmupMost == 0 || !settles:
		one.Warmup = timing.Warmup
	case one.Warmup == 0:
		one.Warmup = timing.WarmupMost + rejoining
	default:
		one.Warmup = max(timing.Warmup, min(one.Warmup, timing.WarmupMost)) + rejoining
	}
	return one
}
