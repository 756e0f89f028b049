package load

import (
	"testing"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

func TestCompareCounts(t *testing.T) {
	for _, c := range []struct {
		server float64
		apart  bool
	}{{11_000, false}, {10_900, false}, {11_012, false}, {11_013, true}, {10_888, false}, {10_880, true}, {0, true}, {22_000, true}} {
		r := &Result{Validity: finding.Valid, Windows: []measure.Window{
			{Index: -1, Sent: 1000, Completed: 950},
			{Index: 0, Sent: 10_000, Completed: 9900, Drained: 50, Findings: []finding.Finding{{Validity: finding.Invalid}}},
		}}
		r.CompareCounts("x", c.server)
		if got := len(r.Findings) == 1 && r.Findings[0].Name == finding.CountsApart && r.Validity == finding.Suspect; got != c.apart {
			t.Errorf("server counts %.0f: %+v", c.server, r.Findings)
		}
		if r.Counts.Sent != 11_000 || r.Counts.Responses != 10_900 || r.Counts.Server != c.server {
			t.Errorf("%+v", r.Counts)
		}
	}
}

func TestLeftOut(t *testing.T) {
	stalled := []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Invalid}, {Name: finding.GeneratorLate, Validity: finding.Suspect}}
	r := &Result{Windows: []measure.Window{
		{Index: -1, Findings: stalled}, {Index: 0, Findings: stalled}, {Index: 1},
		{Index: 2, Findings: []finding.Finding{{Name: finding.Steal, Validity: finding.Invalid}}}, {Index: 3, Findings: stalled},
	}}
	invalid, measured, reasons := r.LeftOut()
	if invalid != 3 || measured != 4 || len(reasons) != 2 || reasons[0] != finding.GeneratorStalled || reasons[1] != finding.Steal {
		t.Errorf("%d of %d left out because of %v", invalid, measured, reasons)
	}
}
