package main

import (
	"math"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
)

// A ratio that is 4 % higher in one of two runs is found so, and the same run has no bias.
func TestBias(t *testing.T) {
	made := func(id string, more float64) *analysis.Analysis {
		run := analysistest.Run(3, "a", "b")
		run.Manifest.ID, run.Manifest.Reference = id, "a"
		a, err := analysis.Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Groups[0].Cells {
			if c := &a.Groups[0].Cells[i]; c.Subject == "b" {
				for k := range c.Values["cpu"] {
					c.Values["cpu"][k] *= more
				}
			}
		}
		return a
	}
	var o options
	for want, list := range map[float64][]*analysis.Analysis{
		1:    {made("x", 1), made("y", 1)},
		1.04: {made("x", 1), made("y", 1.04)},
	} {
		r := &Record{}
		if err := o.bias(r, list); err != nil {
			t.Fatal(err)
		}
		seen := false
		for _, result := range r.Results {
			if strings.HasPrefix(result.Figure, "cpu of b") {
				seen = true
				if math.Abs(result.Effect-want) > 1e-9 || result.Series != "y against x" {
					t.Errorf("%+v, want %v", result, want)
				}
			}
		}
		if !seen || strings.Contains(r.Markdown(), "NaN") {
			t.Errorf("want %v:\n%s", want, r.Markdown())
		}
	}
	if err := o.bias(&Record{}, []*analysis.Analysis{made("x", 1)}); err == nil {
		t.Error("a single run has a bias")
	}
}
