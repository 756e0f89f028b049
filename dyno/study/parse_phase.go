package study

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// phaseFields are the fields of each shape: those it needs, and those that are
// optional. Rates are in requests per second.
var phaseFields = map[profile.Shape]struct{ needs, has []string }{
	profile.Constant: {[]string{"rate", "duration"}, []string{"arrivals"}},
	profile.Steps:    {[]string{"each"}, []string{"rates", "from", "to", "by", "arrivals"}},
	profile.Ramp:     {[]string{"from", "to", "duration"}, []string{"arrivals"}},
	profile.Spike:    {[]string{"base", "peak", "at", "hold", "duration"}, []string{"arrivals"}},
	profile.Soak:     {[]string{"rate", "duration"}, []string{"rise", "arrivals"}},
	profile.Sine:     {[]string{"mean", "amplitude", "period", "duration"}, []string{"angle", "arrivals"}},
	profile.Trace:    {[]string{"file"}, []string{"loop", "duration"}},
}

// phaseExamples says how to write what is missing.
var phaseExamples = map[string]string{
	"rate": "1000", "duration": "30s", "each": "10s", "from": "100", "to": "5000", "base": "1000", "peak": "9000", "at": "20s", "hold": "5s",
	"mean": "1000", "amplitude": "500", "period": "20s", "file": "times.txt",
}

var phaseForm = i18n.New("study.ramp-form", "write it as: ramp: {from: 100, to: 5000, duration: 30s}")

func phasesAt(at scope) []profile.Phase {
	var phases []profile.Phase
	for _, item := range at.list() {
		phases = append(phases, phaseAt(item))
	}
	return phases
}

// phaseAt reads one phase: fields under the name of their shape, or the text that
// dyno load --phase takes.
func phaseAt(at scope) profile.Phase {
	before := len(at.in.Problems)
	var ph profile.Phase
	if text, ok := at.Scalar(); ok {
		var err error
		if ph, err = profile.ParsePhase(text); err != nil {
			at.Report(i18n.From(err))
		}
	} else {
		ph = shapeAt(at)
	}
	if len(at.in.Problems) > before {
		return ph
	}
	if err := ph.Open(at.in.beside); err != nil {
		at.Report(i18n.From(err))
	} else if err := ph.Check(); err != nil {
		at.Report(i18n.From(err))
	}
	return ph
}

// beside is where a file is that the study names: paths start at its folder.
func (in *input) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(in.Path), name)
}

func shapeAt(at scope) profile.Phase {
	var names []string
	for _, shape := range profile.Shapes() {
		names = append(names, string(shape))
	}
	f, understood := at.fields(names...)
	if len(f) != 1 {
		if understood {
			at.Report(i18n.New("study.expected-one-shape", "expected exactly one shape, got %d", len(f)), phaseForm)
		}
		return profile.Phase{}
	}
	for shape, fields := range f {
		return fieldsOf(profile.Shape(shape), fields)
	}
	panic("study: a map of one is empty")
}

// fieldsOf reads the fields of a phase whose shape is known.
func fieldsOf(shape profile.Shape, at scope) profile.Phase {
	ph := profile.Phase{Shape: shape}
	form := phaseFields[shape]
	f, understood := at.fields(slices.Concat(form.needs, form.has)...)
	for _, name := range form.needs {
		if _, ok := f[name]; understood && !ok {
			at.Report(i18n.New("study.shape-needs-field", "a phase of shape %s needs the field %s", shape, name), i18n.New("study.add-field", "add: %s: %s", name, phaseExamples[name]))
		}
	}
	stride := make(map[string]float64)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		phaseField(&ph, name, f[name], stride)
	}
	if shape == profile.Steps && understood {
		stepsAt(&ph, at, f, stride)
	}
	return ph
}

// phaseField reads one field into ph, or into stride what only steps have.
func phaseField(ph *profile.Phase, name string, v scope, stride map[string]float64) {
	switch name {
	case "rate", "base", "mean":
		ph.Rate = v.number(0, profile.MaxRate)
	case "from", "to", "by":
		stride[name] = v.number(0, profile.MaxRate)
		if ph.Shape == profile.Ramp {
			ph.From, ph.To = stride["from"], stride["to"]
		}
	case "peak":
		ph.Peak = v.number(0, profile.MaxRate)
	case "amplitude":
		ph.Amplitude = v.number(0, profile.MaxRate)
	case "angle":
		ph.Angle = v.number(0, 359.999)
	case "rates":
		for _, item := range v.list() {
			ph.Rates = append(ph.Rates, item.number(0, profile.MaxRate))
		}
	case "arrivals":
		ph.Arrivals = profile.Arrivals(v.oneOf(string(profile.Uniform), string(profile.Poisson)))
	case "duration", "each":
		ph.Duration = v.Duration(time.Millisecond, maxDuration)
	case "at":
		ph.At = v.Duration(0, maxDuration)
	case "hold":
		ph.Hold = v.Duration(time.Millisecond, maxDuration)
	case "rise":
		ph.Rise = v.Duration(0, maxDuration)
	case "period":
		ph.Period = v.Duration(time.Millisecond, maxDuration)
	case "file":
		ph.Trace = &profile.TraceFile{File: v.filled("")}
	case "loop":
		ph.Loop = v.oneOf("true", "false") == "true"
	}
}

// stepsAt completes steps, whose rates are a list or from, to and by.
func stepsAt(ph *profile.Phase, at scope, f map[string]scope, stride map[string]float64) {
	_, list := f["rates"]
	switch {
	case list && len(stride) > 0 || !list && len(stride) != 3:
		at.Report(i18n.New("study.rates-given-twice", "expected either rates or from, to and by"), i18n.New("study.rates-from", "rates: [100, 200], or from: 1000, to: 5000, by: 1000"))
	case !list:
		rates, err := profile.StepsBetween(stride["from"], stride["to"], stride["by"])
		if err != nil {
			at.Report(i18n.From(err))
		}
		ph.Rates = rates
	}
	ph.Duration *= time.Duration(len(ph.Rates))
}
