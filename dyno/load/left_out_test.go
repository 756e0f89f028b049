package load

import (
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// The way out of having no figures is named, where there is one.
func TestAcceptable(t *testing.T) {
	second := func(index int, level finding.Validity) measure.Window {
		return measure.Window{
			Index: index, Length: time.Second, Sent: 10, Completed: 9, Errors: measure.Errors{Status: 1},
			Statuses: map[int]uint64{200: 9, 500: 1}, Findings: []finding.Finding{{Name: finding.OtherLoad, Validity: level}},
		}
	}
	r := Result{Windows: []measure.Window{second(-1, finding.Valid), second(0, finding.Invalid), second(1, finding.Invalid)}}
	if names := r.Acceptable(); !slices.Equal(names, []finding.Name{finding.OtherLoad}) {
		t.Errorf("the way out is %v", names)
	}
	r.Windows[2].Findings = append(r.Windows[2].Findings, finding.Finding{Name: "beyond-acceptance", Validity: finding.Invalid})
	if names := r.Acceptable(); names != nil {
		t.Errorf("what can't be accepted leaves a window out, and %v is to be", names)
	}
	r.Windows[2].Findings = r.Windows[2].Findings[:1]
	r.Windows = append(r.Windows, second(2, finding.Suspect))
	if names := r.Acceptable(); names != nil {
		t.Errorf("one window has figures, and %v is to be accepted", names)
	}
}
