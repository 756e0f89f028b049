package study

import (
	"slices"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

func loadsAt(at scope) []Load {
	var loads []Load
	taken := make(map[string]bool)
	for _, item := range at.list() {
		l := loadAt(item)
		if l.Name != "" && taken[l.Name] {
			item.Report(i18n.New("study.load-named-twice", "two loads are called %s", form.Quote(l.Name)), i18n.New("study.rename-one-load", "give one of them another name"))
		}
		taken[l.Name] = true
		loads = append(loads, l)
	}
	return loads
}

func loadAt(at scope) Load {
	f, understood := at.fields(slices.Concat([]string{"name", "closed", "open", "timeout", "drain", "slices"}, linkFields)...)
	l := Load{Timeout: request.DefaultTimeout}
	closed, isClosed := f["closed"]
	open, isOpen := f["open"]
	switch {
	case isClosed == isOpen && !understood:
	case isClosed == isOpen:
		at.Report(i18n.New("study.expected-loop-kind", "expected exactly one of closed and open"), i18n.New("study.load-form", "closed: {connections: 64}, or open: {rate: 1000}"))
	case isClosed:
		l.Name, l.Profile = "closed", closedAt(closed)
	default:
		l.Name, l.Profile = "open", openAt(open)
	}
	if v, ok := f["name"]; ok {
		l.Name = v.name()
	}
	if v, ok := f["timeout"]; ok {
		l.Timeout = v.Duration(time.Millisecond, maxTimeout)
	}
	if v, ok := f["drain"]; ok {
		if l.Drain = v.Duration(0, maxTimeout); l.Drain == 0 {
			l.Drain = -1 // 0 would be the default
		}
	}
	if v, ok := f["slices"]; ok {
		l.Whole = v.oneOf("off") == "off"
	}
	linkAt(f, &l)
	return l
}

func closedAt(at scope) profile.Profile {
	p := profile.Profile{Mode: profile.Closed, Connections: defaultConnections}
	f, _ := at.fields("connections", "think")
	if v, ok := f["connections"]; ok {
		p.Connections = v.Integer(1, profile.MaxConnections)
	}
	if v, ok := f["think"]; ok {
		p.Think = thinkAt(v)
	}
	return p
}

// thinkAt reads a think time: a duration, or its mean and how it spreads.
func thinkAt(at scope) profile.Think {
	t := profile.Think{Spread: profile.Fixed}
	if !at.IsMapping() {
		t.Mean = at.Duration(0, profile.MaxThink)
		return t
	}
	f, understood := at.fields("mean", "spread")
	if v, ok := f["mean"]; ok {
		t.Mean = v.Duration(0, profile.MaxThink)
	} else if understood {
		at.Report(i18n.New("study.think-needs-mean", "a think time needs a mean"), i18n.New("study.add-field", "add: %s: %s", "mean", "100ms"))
	}
	if v, ok := f["spread"]; ok {
		t.Spread = profile.Spread(v.oneOf(string(profile.Fixed), string(profile.Exponential)))
	}
	return t
}

func openAt(at scope) profile.Profile {
	f, understood := at.fields("rate", "phases", "arrivals", "connections", "overflow", "max_connections")
	before := len(at.in.Problems)
	p := profile.Profile{Mode: profile.Open, Connections: defaultConnections, Arrivals: profile.Poisson}
	rate, steady := f["rate"]
	phases, phased := f["phases"]
	switch {
	case steady && phased:
		phases.Report(i18n.New("study.rate-and-phases", "expected either rate or phases, got both"), i18n.New("yaml.remove-one-them", "remove one of them"))
	case steady:
		p.Rate = rate.number(minRate, maxRate)
	case phased:
		p.Phases = phasesAt(phases)
	case understood:
		at.Report(i18n.New("study.open-needs-rate", "an open load needs a rate"), i18n.New("study.add-field", "add: %s: %s", "rate", "1000"))
	}
	if v, ok := f["arrivals"]; ok {
		p.Arrivals = profile.Arrivals(v.oneOf(string(profile.Uniform), string(profile.Poisson)))
	}
	if v, ok := f["connections"]; ok {
		p.Connections = v.Integer(1, profile.MaxConnections)
	}
	if v, ok := f["overflow"]; ok {
		p.Overflow = profile.Overflow(v.oneOf(string(profile.Wait), string(profile.OpenMore), string(profile.ShedArrival)))
	}
	if v, ok := f["max_connections"]; ok {
		p.MaxConnections = v.Integer(1, profile.MaxConnections)
	}
	if understood && len(at.in.Problems) == before {
		checkProfile(at, &p)
	}
	return p
}

// checkProfile reports what is wrong with the fields of an open load together.
func checkProfile(at scope, p *profile.Profile) {
	if err := p.Check(); err != nil {
		at.Report(i18n.From(err))
	} else if n := p.Length(); n > 0 && (n < time.Second || n > maxDuration) {
		at.Report(i18n.New("study.phases-too-short", "the phases take %v, but a trial takes from %s to %s", n, profile.ShortDuration(time.Second), profile.ShortDuration(maxDuration)))
	}
}

// Limits of rates, in requests/s. At less than the lowest hardly any trial
// would see a request.
const (
	minRate = 0.001
	maxRate = 1e7
)
