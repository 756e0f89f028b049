package report

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// fixture describes a made-up analysis.
type fixture struct {
	subjects []string
	costs    []float64 // µs of CPU a request, by subject
	blocks   int
	seconds  int
	open     bool     // a second group with an open loop
	blind    bool     // nothing is known of the server's side
	spoilt   bool     // every trial is invalid
	requests []string // a level each; none for one request
}

func eight() fixture {
	return fixture{
		subjects: []string{"go/nethttp", "go/chi", "go/gin", "go/echo", "go/fiber", "go/fasthttp", "go/hertz", "go/gnet"},
		costs:    []float64{17.4, 18.6, 19.9, 19.1, 13.1, 9.6, 12.2, 9.5},
		blocks:   6, seconds: 10,
	}
}

// make makes the analysis up. The same fixture gives the same analysis.
func (f fixture) make() *analysis.Analysis {
	a := &analysis.Analysis{Schema: 1, Validity: finding.Valid, Subjects: f.subjects, Run: f.manifest()}
	for i, combination := range f.combinations() {
		a.Groups = append(a.Groups, f.group(a, combination, i*len(f.subjects)))
	}
	f.findings(a)
	return a
}

func (f fixture) manifest() archive.Manifest {
	began := time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
	m := archive.Manifest{
		Schema: 1, ID: "20260314-092653-go-frameworks-5c1e", Study: "go-frameworks", StudyPath: "builtin:go-frameworks",
		Question: "Which Go framework costs least CPU per request, and what does its tail look like?",
		Command:  []string{"dyno", "run", "go-frameworks", "--quick", "--seed", "7"}, Quick: true, Dyno: "v0.1.0",
		StudySource: "name: go-frameworks\nsubjects: [go/nethttp, go/gin]\n",
		Started:     began, Finished: began.Add(222 * time.Second), Status: archive.Complete, Reference: f.subjects[0],
		Machine: machine.Fingerprint{
			OS: "linux", Distribution: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.18.5", Arch: "amd64",
			CPUModel: "AMD EPYC 9R14", CPUs: 2, ClockSource: "tsc", Virtualization: "KVM", MemoryBytes: 24 << 30, Cgroup: "hybrid",
			Congestion: "bbr", Somaxconn: 4096, FileLimit: 1 << 20, PortRange: "32768 60999", THP: "madvise", GoVersion: "go1.26.0",
			Remarks: []i18n.Message{i18n.Verbatim("virtual machine: other tenants may take CPU time (steal)")},
			Missing: []string{"governor: no cpufreq on this machine", "turbo: no MSR"},
		},
		Placement: archive.Placement{Mode: "split", Generator: []int{0}, Subject: []int{1}},
		Warmup:    2 * time.Second, Duration: time.Duration(f.seconds) * time.Second,
	}
	m.Plan = f.plan()
	for i, s := range f.subjects {
		language, _, _ := strings.Cut(s, "/")
		subject := archive.Subject{Name: s, Language: language, Framework: s, Version: fmt.Sprintf("v1.%d.0", i), Role: "production",
			BuildHash: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(s))), Command: "./server -port $PORT"}
		if f.blind {
			subject = archive.Subject{Name: s, Role: "own", URL: "http://127.0.0.1:8080"}
		}
		m.Subjects = append(m.Subjects, subject)
	}
	return m
}

func (f fixture) plan() study.Plan {
	p := study.Plan{Seed: 7}
	for _, c := range f.combinations() {
		for _, s := range f.subjects {
			p.Cells = append(p.Cells, study.Cell{Index: len(p.Cells), Subject: s, Profile: c.profile,
				Requests: []request.Request{{Method: "GET", Path: "/json"}, {Method: "POST", Path: "/api/users", Body: "{}"}}})
		}
	}
	for block := range f.blocks {
		for _, cell := range rand.New(rand.NewPCG(7, uint64(block))).Perm(len(p.Cells)) {
			p.Trials = append(p.Trials, study.PlannedTrial{Index: len(p.Trials), Block: block, Cell: cell})
		}
	}
	return p
}

// combination is a load with a level.
type combination struct {
	load, title string
	levels      map[string]string
	profile     profile.Profile
}

func (f fixture) combinations() (all []combination) {
	profiles := map[string]profile.Profile{"saturate": {Mode: profile.Closed, Connections: 64},
		"steady": {Mode: profile.Open, Connections: 64, Rate: 20000, Arrivals: profile.Poisson}}
	for _, load := range []string{"saturate", "steady"} {
		if load == "steady" && !f.open {
			continue
		}
		if len(f.requests) == 0 {
			all = append(all, combination{load, load + ", connections=64", map[string]string{"connections": "64"}, profiles[load]})
		}
		for _, request := range f.requests {
			all = append(all, combination{load, load + ", request=" + request, map[string]string{"request": request}, profiles[load]})
		}
	}
	return all
}

func (f fixture) group(a *analysis.Analysis, c combination, firstCell int) analysis.Group {
	g := analysis.Group{
		Title: c.title, Load: c.load, Levels: c.levels,
		Metrics: []analysis.Metric{metric("throughput", "req/s", "higher"), metric("cpu", "µs/req", "lower"), metric("response.p50", "µs", "lower"),
			metric("response.p99", "µs", "lower"), metric("response.p99.9", "µs", "lower"), metric("rss", "bytes", "lower")},
		Ranking: map[string][]analysis.Place{}, Leads: map[string][]analysis.Versus{},
	}
	if f.blind {
		g.Metrics = slices.DeleteFunc(g.Metrics, func(m analysis.Metric) bool { return m.Name == "cpu" || m.Name == "rss" })
	}
	for i := range f.subjects {
		g.Cells = append(g.Cells, f.cell(a, &g, i, firstCell+i))
	}
	for _, m := range g.Metrics {
		if places := places(g.Cells, m); len(places) > 0 {
			g.Ranking[m.Name] = places
			g.Leads[m.Name] = leads(g.Cells, m.Name, places)
		}
	}
	return g
}

func metric(name, unit, better string) analysis.Metric {
	return analysis.Metric{Name: name, Unit: unit, Better: better}
}

func (f fixture) cell(a *analysis.Analysis, g *analysis.Group, subject, index int) analysis.Cell {
	c := analysis.Cell{Cell: index, Subject: f.subjects[subject], Values: map[string][]float64{},
		Estimates: map[string]stats.Interval{}, Ratios: map[string]stats.Interval{}}
	r := rand.New(rand.NewPCG(uint64(index), 99))
	for _, t := range a.Run.Plan.Trials {
		if t.Cell != index {
			continue
		}
		spoilt := f.spoilt || (subject == 1 && t.Block == 4)
		c.Seconds = append(c.Seconds, f.trial(r, t, f.costs[subject], subject, spoilt)...)
		if spoilt {
			c.Left = append(c.Left, t.Index)
			continue
		}
		c.Trials = append(c.Trials, t.Index)
		c.Windows += f.seconds
		for _, m := range g.Metrics {
			c.Values[m.Name] = append(c.Values[m.Name], value(r, m.Name, f.costs[subject]))
		}
	}
	for name, values := range c.Values {
		c.Estimates[name] = interval(values)
		ratio := c.Estimates[name]
		base := value(nil, name, f.costs[0])
		c.Ratios[name] = stats.Interval{N: ratio.N, Estimate: ratio.Estimate / base, Low: ratio.Low / base, High: ratio.High / base, Level: ratio.Level}
	}
	if len(c.Trials) > 0 {
		c.Curve, c.Service = curvePoints(f.costs[subject]), curvePoints(f.costs[subject]*0.9)
	}
	return c
}

// value is a trial's figure, or what it would be without noise if r is nil.
func value(r *rand.Rand, metric string, cost float64) float64 {
	noise := 1.0
	if r != nil {
		noise = math.Exp(0.02 * r.NormFloat64())
	}
	switch metric {
	case "throughput":
		return 0.96e6 / cost / noise
	case "cpu":
		return cost * noise
	case "response.p50":
		return cost * 62 * noise
	case "response.p99":
		return cost * 140 * noise * noise
	case "response.p99.9":
		return cost * 420 * noise * noise * noise
	}
	return (6 + cost) * (1 << 20) * noise
}

func interval(values []float64) stats.Interval {
	s := slices.Sorted(slices.Values(values))
	iv := stats.Interval{N: len(s), Estimate: s[len(s)/2], Low: s[0], High: s[len(s)-1], Level: 0.95}
	if len(s) < 6 {
		iv.Level = 1 - 2*math.Pow(0.5, float64(len(s)))
	}
	if len(s) == 1 {
		iv.Level = 0
	}
	return iv
}

func places(cells []analysis.Cell, m analysis.Metric) []analysis.Place {
	var known []analysis.Cell
	for _, c := range cells {
		if c.Estimates[m.Name].N > 0 {
			known = append(known, c)
		}
	}
	slices.SortFunc(known, func(x, y analysis.Cell) int {
		less := x.Estimates[m.Name].Estimate < y.Estimates[m.Name].Estimate
		if less == (m.Better == "lower") {
			return -1
		}
		return 1
	})
	var out []analysis.Place
	for i, c := range known {
		place := analysis.Place{Rank: i + 1, Subject: c.Subject, Cell: c.Cell}
		if i > 0 && math.Abs(c.Estimates[m.Name].Estimate/known[i-1].Estimates[m.Name].Estimate-1) < 0.03 {
			place.Rank = out[i-1].Rank
		}
		for _, better := range out[:place.Rank-1] {
			place.Behind = append(place.Behind, better.Cell)
		}
		out = append(out, place)
	}
	return analysis.Among(out, func(analysis.Place) bool { return true }) // which is the last rank of each
}

// leads holds the first place against the others as roughly as places ranks them.
func leads(cells []analysis.Cell, metric string, places []analysis.Place) []analysis.Versus {
	of := func(p analysis.Place) stats.Interval {
		return cells[slices.IndexFunc(cells, func(c analysis.Cell) bool { return c.Cell == p.Cell })].Estimates[metric]
	}
	first := of(places[0])
	var out []analysis.Versus
	for _, p := range places[1:] {
		other := of(p)
		ratio := stats.Interval{N: first.N, Estimate: first.Estimate / other.Estimate, Low: first.Low / other.High, High: first.High / other.Low, Level: first.Level}
		out = append(out, analysis.Versus{Subject: p.Subject, Cell: p.Cell, Ratio: ratio, Apart: p.Rank > places[0].Rank})
	}
	return out
}

func curvePoints(cost float64) []analysis.Point {
	var out []analysis.Point
	for _, p := range []float64{0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 100} {
		nines := -math.Log10(math.Max(1-p/100, 1e-6))
		out = append(out, analysis.Point{Percentile: p, Micros: cost * 40 * math.Exp(0.75*nines), Censored: p > 99.99})
	}
	return out
}

// trial makes up the windows of one trial with the accidents of real ones.
func (f fixture) trial(r *rand.Rand, t study.PlannedTrial, cost float64, subject int, spoilt bool) []analysis.Second {
	var out []analysis.Second
	for i := -2; i < f.seconds; i++ {
		s := f.second(r, t, i, cost)
		switch {
		case spoilt:
			s.Validity, s.Why = finding.Invalid, []string{"rate-missed"}
		case subject == 3 && t.Block == 1 && i == 4:
			s.Validity, s.Why = finding.Invalid, []string{"generator-stalled"}
		case subject == 4 && t.Block == 2 && i == 2:
			s.Validity, s.Why = finding.Suspect, []string{"steal"}
		}
		if subject == 2 && t.Block == 2 && i == 2 {
			s.P99, s.Max = 41200, 88000
		}
		out = append(out, s)
	}
	return out
}

func (f fixture) second(r *rand.Rand, t study.PlannedTrial, index int, cost float64) analysis.Second {
	slow := math.Exp(0.25 * math.Abs(r.NormFloat64()))
	if r.IntN(40) == 0 {
		slow *= 4
	}
	noise := math.Exp(0.02 * r.NormFloat64())
	if index < 0 {
		noise, slow = 1.2, slow*1.5
	}
	s := analysis.Second{Trial: t.Index, Block: t.Block, Index: index, Validity: finding.Valid, Throughput: 0.96e6 / cost / noise,
		P50: cost * 62 * noise, P99: cost * 140 * slow, Max: cost * 600 * slow * slow, LagP99: 12 * slow, Generator: 0.93 + 0.02*r.Float64()}
	if f.blind {
		return s
	}
	known := func(v float64) *float64 { return &v }
	s.CPU, s.RSS, s.RunQueue = known(0.96+0.02*r.Float64()), known((14+cost+float64(index)/4)*(1<<20)), known(0.02*slow)
	s.Switches, s.Steal, s.Heap = known(4000*slow), known(0.004*slow), known((4+2*r.Float64())*(1<<20))
	s.GCPause, s.GCCycles, s.Goroutines, s.SchedP99 = known(90*slow), known(3), known(70), known(40*slow)
	return s
}

func (f fixture) findings(a *analysis.Analysis) {
	add := func(name finding.Name, v finding.Validity, detail string, windows []int, subject, block int) {
		finding := analysis.Finding{Finding: finding.Finding{Name: name, Validity: v, Detail: i18n.Verbatim(detail), Windows: windows}}
		for _, t := range a.Run.Plan.Trials {
			if f.spoilt || (t.Cell == subject && t.Block == block) {
				finding.Trials = append(finding.Trials, t.Index)
			}
		}
		a.Findings = append(a.Findings, finding)
		a.Validity = a.Validity.Worse(v)
	}
	if f.spoilt {
		add(finding.RateMissed, finding.Invalid, "51.0 % of the planned requests were sent, less than the 99 % required", nil, 0, 0)
	}
	if len(f.subjects) < 5 {
		return
	}
	add(finding.RateMissed, finding.Suspect, "91.2 % of the planned requests were sent, less than the 99 % required", nil, 1, 4)
	add(finding.GeneratorStalled, finding.Suspect, "a loop was away for 412 ms, more than the 10 ms allowed", []int{4}, 3, 1)
	add(finding.Steal, finding.Suspect, "the hypervisor took 6.1 % of a CPU, more than the 2 % allowed", []int{2}, 4, 2)
}
