package study

import "dyno.example/internal/i18n"

// Samples of a design: fewer than the least tell nothing.
const (
	leastSamples   = 2
	maxSamples     = 10_000
	defaultSamples = 16
)

// design reads which combinations are measured.
func (in *input) design(s *Study, f map[string]scope) {
	at, ok := f["design"]
	if !ok {
		return
	}
	s.Design = designAt(at)
	if _, ok := f["factors"]; !ok {
		at.Report(i18n.New("study.design-needs-factors", "a design needs factors"), i18n.New("study.add-field", "add: %s: %s", "factors", "{connections: [16, 64]}"))
	}
}

// designAt reads a design's name, or a name with the number of samples.
func designAt(at scope) Design {
	if !at.IsMapping() {
		d := Design{Kind: at.oneOf(FullFactorial, OneAtATime, LatinHypercube, SobolDesign)}
		if d.sampling() {
			d.Samples = defaultSamples
		}
		return d
	}
	f, understood := at.fields(LatinHypercube, SobolDesign)
	if understood && len(f) != 1 {
		at.Report(i18n.New("study.expected-one-sampler", "expected exactly one of %s and %s", LatinHypercube, SobolDesign), i18n.Verbatim("sobol: {samples: 32}"))
	}
	for kind, v := range f {
		d := Design{Kind: kind, Samples: defaultSamples}
		fields, _ := v.fields("samples")
		if n, ok := fields["samples"]; ok {
			d.Samples = n.Integer(leastSamples, maxSamples)
		}
		return d
	}
	return Design{Kind: FullFactorial}
}
