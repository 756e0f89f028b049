package study

import (
	"time"

	"dyno/lab/load"
)

func loadsAt(at scope) []Load {
	var loads []Load
	taken := make(map[string]bool)
	for _, item := range at.list() {
		l := loadAt(item)
		if l.Name != "" && taken[l.Name] {
			item.problem("give one of them another name", "two loads are called %s", quote(l.Name))
		}
		taken[l.Name] = true
		loads = append(loads, l)
	}
	return loads
}

func loadAt(at scope) Load {
	f, understood := at.fields("name", "closed", "open", "timeout")
	l := Load{Timeout: load.DefaultTimeout}
	closed, isClosed := f["closed"]
	open, isOpen := f["open"]
	switch {
	case isClosed == isOpen && !understood:
	case isClosed == isOpen:
		at.problem("closed: {connections: 64}, or open: {rate: 1000}", "expected exactly one of closed and open")
	case isClosed:
		l.Name, l.Profile = "closed", closedAt(closed)
	default:
		l.Name, l.Profile = "open", openAt(open)
	}
	if v, ok := f["name"]; ok {
		l.Name = v.name()
	}
	if v, ok := f["timeout"]; ok {
		l.Timeout = v.duration(time.Millisecond, maxTimeout)
	}
	return l
}

func closedAt(at scope) load.Profile {
	p := load.Profile{Mode: load.Closed, Connections: defaultConnections}
	f, _ := at.fields("connections")
	if v, ok := f["connections"]; ok {
		p.Connections = v.integer(1, load.MaxConnections)
	}
	return p
}

func openAt(at scope) load.Profile {
	f, understood := at.fields("rate", "arrivals", "connections")
	p := load.Profile{Mode: load.Open, Connections: defaultConnections, Arrivals: load.Poisson}
	if v, ok := f["rate"]; ok {
		p.Rate = v.number(minRate, maxRate)
	} else if understood {
		at.problem("add: rate: 1000", "an open load needs a rate")
	}
	if v, ok := f["arrivals"]; ok {
		p.Arrivals = load.Arrivals(v.oneOf(string(load.Uniform), string(load.Poisson)))
	}
	if v, ok := f["connections"]; ok {
		p.Connections = v.integer(1, load.MaxConnections)
	}
	return p
}

// Limits of rates, in requests/s. At less than the lowest hardly any trial
// would see a request.
const (
	minRate = 0.001
	maxRate = 1e7
)
