package analysis

import (
	"fmt"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// Schema is the version of [Analysis] as JSON.
const Schema = 1

// Analyse folds a run into its figures. Nothing but the run goes in: the same
// run gives the same analysis, bit by bit.
//
// Figures rest on the measured windows that are not invalid, of the trials that
// were completed and are not invalid; what is left out is counted in the cell
// and named among the findings. Percentiles are those of merged histograms,
// never means of percentiles, and are omitted where too few requests lie beyond
// or where requests that were given up hide them.
//
// Of a run on disk, one window's histograms are in memory at a time, and coarse
// ones of at most 600 windows of each trial; errors are those of
// [archive.Run.Windows].
func Analyse(run *archive.Run) (*Analysis, error) { return analyse(run, true) }

// AnalysePairs is the same for a gate of two versions, pair by pair: what neighbouring
// slices say is not used, so that a pair is the same with a third one next to it, and what is
// known of its deviation holds.
func AnalysePairs(run *archive.Run) (*Analysis, error) { return analyse(run, false) }

func analyse(run *archive.Run, neighbours bool) (*Analysis, error) {
	m := &run.Manifest
	secure := slices.ContainsFunc(m.Plan.Cells, func(c study.Cell) bool { return c.TLS != "" })
	all := figuresOf(run, secure)
	tables, builders := newTables(m.Plan.Cells, secure)
	usual := usualSpeed(run)
	var found findingSet
	for i := range run.Trials {
		t := &run.Trials[i]
		if t.Cell < 0 || t.Cell >= len(builders) {
			return nil, fmt.Errorf("analysing run %s: trial %d is of cell %d, which is not in the plan", m.ID, t.Index, t.Cell)
		}
		used, err := builders[t.Cell].take(run, i, all)
		if err != nil {
			return nil, fmt.Errorf("analysing run %s: trial %d: %w", m.ID, t.Index, err)
		}
		found.addTrial(t, used)
		found.addSpeed(t, usual, m.Accept)
	}
	for _, t := range tables {
		if neighbours {
			t.useNeighbours()
		}
	}
	found.addRun(run)
	found.addExhausted(run, builders)
	for _, s := range builders {
		found.addPlateaus(s, builders, m.Accept)
	}
	for _, s := range builders {
		s.leave(all)
	}
	a := &Analysis{Schema: Schema, Run: *m, Address: run.Address, Groups: []Group{}, Subjects: subjects(m), Failures: failures(run.Trials)}
	confidence := confidenceOf(m)
	for _, t := range tables {
		a.Groups = append(a.Groups, t.finish(m.Reference, all, confidence))
	}
	found.addParted(tables, watched(m), m.Accept)
	found.addTwins(tables, watched(m), m.Accept)
	found.addFollowing(tables, m.Accept)
	otherwise := unsettledCells(tables)
	found.addUnsettled(otherwise, m.Accept)
	found.addLost(tables, m.Accept)
	a.Findings = found.sorted()
	shareTwins(a.Groups)
	a.Explained = explained(tables, run)
	a.Sensitivity = sensitivity(m, a.Groups)
	source, options := newEvidence(m, a.Groups, builders, all), optionsOf(confidence)
	a.Claims = decide(m, source, options)
	a.Validity = worth(run, a)
	attachBasis(a)
	turning(run, a, source, options, usual)
	unsettling(run, a, source, options, otherwise)
	return a, nil
}

// figuresOf are the figures of a run, over TLS or without.
func figuresOf(run *archive.Run, secure bool) []figure {
	m := &run.Manifest
	all := figures()
	if secure {
		all = append(all, handshakes()...)
	}
	if m.WarmupMost > 0 {
		all = append(all, warmUps())
	}
	if cutInParts(run) {
		all = append(all, settlings())
	}
	if asksForTails(m) {
		all = append(all, tails()...)
	}
	return append(all, ofTraced(m)...)
}

// subjects are those of the study, in its order.
func subjects(m *archive.Manifest) []string {
	list := []string{}
	for i := range m.Subjects {
		list = append(list, m.Subjects[i].Name)
	}
	for i := range m.Plan.Cells {
		if s := m.Plan.Cells[i].Subject; !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
