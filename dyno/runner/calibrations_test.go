package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/study"
)

// TestCalibrations: the generator is measured once for each way of using connections,
// as the fastest load does it, and a cell is judged by its own.
func TestCalibrations(t *testing.T) {
	cell := func(streams int, rate float64) study.Cell {
		c := study.Cell{Profile: profile.Profile{Mode: profile.Open, Connections: 4, Rate: rate}}
		c.Link.Streams = streams
		return c
	}
	cells := []study.Cell{cell(0, 10), cell(10, 200), cell(0, 50), cell(10, 100), cell(3, 1)}
	var asked []string
	e := &execution{places: &places{}, plan: study.Plan{Cells: cells}, runner: &Runner{Calibrate: func(_ context.Context, spec *load.Spec) (*measure.Calibration, error) {
		asked = append(asked, fmt.Sprint(spec.Link.Streams, "×", spec.Profile.Rate))
		if spec.Link.Streams == 3 {
			return nil, errors.New("it stood still")
		}
		return &measure.Calibration{Streams: spec.Link.Streams, Ceiling: spec.Profile.Rate}, nil
	}}}
	all := e.calibrate(t.Context())
	if got := fmt.Sprint(asked); got != "[10×200 0×50 3×1]" {
		t.Errorf("measured %s", got)
	}
	if m := all.main(); m == nil || m.Streams != 10 {
		t.Errorf("the fastest load's is %+v", m)
	}
	for i, want := range []float64{50, 200, 50, 200} {
		if got := all.of(&cells[i]); got.result == nil || got.result.Ceiling != want || got.why != "" {
			t.Errorf("cell %d: %+v", i, got)
		}
	}
	if got := all.of(&cells[4]); got.result != nil || got.why != "it stood still" {
		t.Errorf("the one that failed: %+v", got)
	}
	for streams := range 2 * mostCalibrations {
		e.plan.Cells = append(e.plan.Cells, cell(100+streams, 1))
	}
	asked = nil
	all = e.calibrate(t.Context())
	if len(asked) != mostCalibrations || all.of(&e.plan.Cells[len(e.plan.Cells)-1]).why == "" {
		t.Errorf("measured %d times of at most %d; the last: %+v", len(asked), mostCalibrations, all.of(&e.plan.Cells[len(e.plan.Cells)-1]))
	}
	e.runner.Calibrate = nil
	if all := e.calibrate(t.Context()); all.main() != nil || all.of(&cells[0]).why != "" {
		t.Errorf("without a calibration to do: %+v", all)
	}
}
