package claim

import (
	"slices"
	"strings"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// index is a Sobol index of a factor: its share of a metric's variance over the samples of a
// study, on its own or with its interactions.
type index struct {
	kind             string // sobolFirst or sobolTotal
	metric, factor   string
	picks            []pick // of the subject and the load
	at, in, factorAt int
}

// The functions of an expression that are indices.
const (
	sobolFirst = "sobol"
	sobolTotal = "sobol.total"
)

func (x index) offset() int { return x.at }

// Share is which of the Sobol indices is asked for, and of whom.
type Share struct {
	Subject, Load  string
	Metric, Factor string
	Total          bool    // with its interactions
	Level          float64 // of the interval
}

// index reads sobol(metric, factor) or sobol.total(metric, factor).
func (p *parser) index() node {
	x := index{kind: p.tok.text, at: p.tok.at}
	p.advance() // to the parenthesis, behind which names are read raw
	x.metric, x.in = p.name(",)")
	p.advance()
	if !p.isSign(",") {
		p.fail(p.tok.at, i18n.New("claim.index-form", "write it as sobol(throughput, env.WORKERS)"), i18n.New("claim.expected-factor-of-index", "expected a comma and the factor whose share it is, got %v", p.tok))
		return x
	}
	x.factor, x.factorAt = p.name(")")
	if x.metric == "" || x.factor == "" {
		p.fail(x.at, i18n.New("claim.index-form", "write it as sobol(throughput, env.WORKERS)"), i18n.New("claim.index-without-name", "expected a metric and a factor"))
		return x
	}
	p.advance()
	p.expect(")")
	x.picks = p.selector()
	return x
}

// name reads a name raw, up to one of the stops.
func (p *parser) name(stops string) (text string, at int) {
	p.scan.spaces()
	at = p.scan.at
	text, _, ok := p.scan.raw(stops)
	if !ok {
		return "", at
	}
	return strings.TrimSpace(text), at
}

func writeIndex(x index) string {
	return x.kind + "(" + x.metric + ", " + quoted(x.factor) + ")" + writePicks(x.picks)
}

// index checks that the study samples the factor, and that a subject and a load are chosen
// where there are several.
func (c *checker) index(x index) nature {
	if c.sweep {
		return c.fail(&Error{at: x.at, What: i18n.New("claim.index-in-sweep", "a Sobol index is of all samples, and can't stand within knee or max")})
	}
	if c.space.Sampled == nil {
		return c.fail(&Error{at: x.at, What: i18n.New("claim.no-sobol-design", "the study has no Sobol samples"), Hint: i18n.Verbatim("design: {sobol: {samples: 32}}")})
	}
	if _, ok := c.space.metric(x.metric); !ok {
		err := unknown("metric", x.metric, c.space.metricNames())
		err.at = x.in
		return c.fail(err)
	}
	if !slices.Contains(c.space.Sampled, x.factor) {
		err := unknown("factor", x.factor, c.space.Sampled)
		err.at = x.factorAt
		return c.fail(err)
	}
	if _, _, err := c.space.surface(within(x.picks, c.outer), x.at); err != nil {
		return c.fail(err)
	}
	return nature{dim: plain, measured: true, bare: true}
}

// surface is the subject and the load that a selector means: with the samples of a Sobol
// design there is nothing else to choose.
func (s *Space) surface(picks []pick, at int) (subject, load string, err *Error) {
	chosen, err := s.choose(picks)
	if err != nil {
		return "", "", err
	}
	for _, p := range picks {
		if p.about() != subjectKey && p.about() != loadKey {
			return "", "", &Error{at: p.at, What: i18n.New("claim.index-of-level", "a Sobol index is of all levels of %s", p.key)}
		}
	}
	one := func(key string, of []string) string {
		switch {
		case chosen[key] != "":
			return chosen[key]
		case len(of) != 1 && err == nil:
			err = &Error{at: at, What: i18n.New("claim.index-of-several", "there are %d to choose from: %s", len(of), i18n.Names(of...)), Hint: i18n.New("claim.index-choose", "write it as sobol(throughput, env.WORKERS)[go/nano, load=steady]")}
		case err == nil:
			return of[0]
		}
		return ""
	}
	subject, load = one(subjectKey, s.Subjects), one(loadKey, s.Loads)
	return subject, load, err
}

// index is the same in each block, as it is that of all of them: what chance leaves open of
// it is between low and high.
func (e *evaluator) index(x index) series {
	subject, load, err := e.space.surface(within(x.picks, e.outer), x.at)
	if err != nil {
		return e.nothing(err.What)
	}
	iv, missing := e.source.Index(Share{Subject: subject, Load: load, Metric: x.metric, Factor: x.factor, Total: x.kind == sobolTotal, Level: e.level})
	if missing.IsZero() && iv.Level < e.level {
		missing = iv.Note
	}
	if !missing.IsZero() {
		return e.nothing(i18n.New("claim.no-value", "no %s: %s", writeIndex(x), missing))
	}
	return e.throughout(iv)
}

// throughout is a series that is known to lie within an interval, in each block alike.
func (e *evaluator) throughout(iv stats.Interval) series {
	fill := func(v float64) []float64 { return slices.Repeat([]float64{v}, e.blocks) }
	return series{value: fill(iv.Estimate), low: fill(iv.Low), high: fill(iv.High)}
}

// hasIndex reports whether a figure has a Sobol index in it, which more blocks don't make
// more certain, but more samples do.
func hasIndex(n node) bool {
	switch n := n.(type) {
	case index:
		return true
	case operation:
		return hasIndex(n.left) || hasIndex(n.right)
	}
	return false
}
