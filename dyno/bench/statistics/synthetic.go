package main

import (
	"fmt"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// synthetic simulates what was asked for on series with a known truth.
func (o *options) synthetic(r *Record) error {
	if o.wants("coverage") {
		o.ratioCoverage(r)
		o.quantileCoverage(r)
		o.steadiness(r)
	}
	for _, s := range []struct {
		kind string
		of   func(*Record)
	}{{"unequal", o.unequal}, {"days", o.days}, {"history", o.history}, {"knee", o.knees}, {"sobol", o.sobol}, {"modes", o.modes}, {"verdicts", o.verdicts}, {"shapes", o.shapes}, {"gates", o.gates}, {"calendars", o.calendars}, {"levels", o.levels}} {
		if o.wants(s.kind) {
			s.of(r)
		}
	}
	if o.wants("slices") {
		if err := o.slices(r); err != nil {
			return err
		}
	}
	if o.wants("pairs") {
		if err := o.pairs(r); err != nil {
			return err
		}
	}
	if o.wants("dismissed") {
		if err := o.dismissed(r); err != nil {
			return err
		}
	}
	if !o.wants("aa") && !o.wants("power") {
		return nil
	}
	for _, blocks := range o.blocks {
		for _, rule := range o.rules(blocks) {
			o.progress("%s, %d blocks", rule.name, blocks)
			if o.wants("aa") {
				o.falseAlarms(r, rule)
			}
			if o.wants("power") {
				o.power(r, rule)
			}
		}
	}
	return nil
}

// ratioCoverage counts how often intervals of ratios hold the truth.
func (o *options) ratioCoverage(r *Record) {
	for _, noise := range statstest.Noises() {
		for _, blocks := range o.blocks {
			r.add(Result{
				What: "coverage", Series: noise.Name, Figure: "ratio", Blocks: blocks, Wanted: "93–97 %",
				Happened: statstest.RatioCoverage(noise, blocks, o.studies, level, o.seed),
			})
		}
	}
}

// quantileCoverage does so for quantiles of merged windows.
func (o *options) quantileCoverage(r *Record) {
	const windows, requests = 8, 250
	for _, latency := range statstest.Latencies() {
		for _, restarts := range []int{6, 12, 24} {
			for _, q := range []float64{0.5, 0.99} {
				o.progress("quantile %v of %d restarts: %s", q, restarts, latency.Name)
				r.add(Result{
					What: "coverage", Series: latency.Name, Figure: fmt.Sprintf("p%v", 100*q), Blocks: restarts, Wanted: "93–97 %",
					Happened: statstest.QuantileCoverage(latency, q, restarts, windows, requests, o.quantiles, o.seed),
				})
			}
		}
	}
}

// steadiness counts how often trials are called what they are.
func (o *options) steadiness(r *Record) {
	for _, trial := range statstest.Trials() {
		for _, windows := range []int{10, 30, 60} {
			if windows < trial.Least {
				continue
			}
			for _, rho := range []float64{0, 0.5} {
				r.add(Result{
					What: "coverage", Series: trial.Name, Figure: fmt.Sprintf("steadiness, neighbours alike by %v", rho), Blocks: windows, Wanted: "≥ 98 %",
					Happened: statstest.Steadiness(trial, windows, 0.02, rho, o.quantiles, o.seed),
				})
			}
		}
	}
}

// falseAlarms compares subjects that don't differ.
func (o *options) falseAlarms(r *Record, rule rule) {
	for _, noise := range statstest.Noises() {
		s := statstest.Sequential(noise, rule.of, rule.looks, 1, o.studies, o.seed)
		r.add(Result{
			What: "aa", Series: noise.Name, Figure: "ratio", Rule: rule.name, Blocks: rule.looks.Last, Effect: 1,
			Wanted: "≤ 5 %", Happened: s.Different, MeanBlocks: s.Blocks,
		})
	}
}

// power compares subjects that differ by what a study without looks finds in
// nine of ten cases.
func (o *options) power(r *Record, rule rule) {
	const deviation = 0.02
	effect := stats.DetectableRatio(deviation, rule.looks.Last, level, 0.9)
	s := statstest.Sequential(statstest.Noises()[0], rule.of, rule.looks, effect, o.studies, o.seed)
	r.add(Result{
		What: "power", Series: "log-normal, 2 %", Figure: "ratio", Rule: rule.name, Blocks: rule.looks.Last, Effect: effect,
		Happened: s.Different, MeanBlocks: s.Blocks,
	})
}
