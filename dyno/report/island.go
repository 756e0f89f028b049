package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
)

// island is what the scripts of the page draw from: the analysis without its
// manifest, seconds as columns, and the texts of the charts. Indices of
// subjects and cells count within the island.
type island struct {
	Lang      string            `json:"lang"`
	Text      map[string]string `json:"text"`
	Reference string            `json:"reference"`
	Groups    []islandGroup     `json:"groups"`
	Factors   []string          `json:"factors"` // whose interactions can be drawn
}

type islandGroup struct {
	Title  string            `json:"title"`
	Load   string            `json:"load"`
	Levels map[string]string `json:"levels"`
	Units  map[string]string `json:"units"`
	Cells  []islandCell      `json:"cells"` // best first
}

type islandCell struct {
	Subject   string                    `json:"subject"`
	Language  string                    `json:"language"`
	Role      string                    `json:"role"`
	Rank      string                    `json:"rank"`
	Behind    []int                     `json:"behind"` // cells of the group that are better beyond doubt
	Colour    int                       `json:"colour"`
	Trials    []int                     `json:"trials"` // used
	Values    map[string][]float64      `json:"values"`
	Estimates map[string]stats.Interval `json:"estimates"`
	Response  []curvePoint              `json:"response"`
	Service   []curvePoint              `json:"service"`
	Seconds   map[string][]any          `json:"seconds"`
}

// curvePoint is [percentile, µs] or [percentile, µs, 1] when censored.
type curvePoint []float64

// drawn are the metrics that have a chart of their own, or one of interactions.
var drawn = []string{throughput, cpu, p99}

// newIsland holds of each cell the seconds that are drawn.
func newIsland(a *analysis.Analysis, tables []ranking, kept map[*analysis.Cell][]analysis.Second, c language) island {
	out := island{Lang: c.lang, Text: c.charts(), Reference: a.Run.Reference, Groups: []islandGroup{}, Factors: crossed(a)}
	for _, t := range tables {
		g := islandGroup{Title: t.Title, Load: t.Group.Load, Levels: t.Group.Levels, Units: map[string]string{}, Cells: []islandCell{}}
		for _, m := range drawn {
			g.Units[m] = unit(t.Group, m)
		}
		for _, r := range t.Rows {
			cell := newIslandCell(r, kept[r.Cell], c)
			cell.Behind = behind(t, r)
			g.Cells = append(g.Cells, cell)
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// behind are the rows of a ranking that are better than one of them beyond doubt.
func behind(t ranking, r row) []int {
	out := []int{}
	for _, p := range t.Group.Ranking[t.By] {
		if p.Cell != r.Cell.Cell {
			continue
		}
		for i, other := range t.Rows {
			if slices.Contains(p.Behind, other.Cell.Cell) {
				out = append(out, i)
			}
		}
	}
	return out
}

func newIslandCell(r row, kept []analysis.Second, c language) islandCell {
	out := islandCell{
		Subject: r.Cell.Subject, Language: c.standsFor(r.Subject), Role: r.Subject.Role, Rank: r.Rank, Colour: r.Colour, Trials: append([]int{}, r.Cell.Trials...),
		Values: map[string][]float64{}, Estimates: map[string]stats.Interval{},
		Response: curve(r.Cell.Curve), Service: curve(r.Cell.Service), Seconds: seconds(kept),
	}
	for _, m := range drawn {
		if iv := r.Cell.Estimates[m]; iv.N > 0 {
			out.Values[m], out.Estimates[m] = r.Cell.Values[m], iv
		}
	}
	return out
}

func curve(points []analysis.Point) []curvePoint {
	out := []curvePoint{}
	for _, p := range points {
		if p.Percentile >= 100 || p.Micros <= 0 {
			continue // a logarithmic axis has no place for it
		}
		q := curvePoint{p.Percentile, round(p.Micros, 4)}
		if p.Censored {
			q = append(q, 1)
		}
		out = append(out, q)
	}
	return out
}

// seconds turns the windows into columns, which are a third of the size.
func seconds(list []analysis.Second) map[string][]any {
	out := map[string][]any{}
	add := func(name string, v any) { out[name] = append(out[name], v) }
	for _, s := range list {
		add("trial", s.Trial)
		add("block", s.Block)
		add("index", s.Index)
		add("validity", unless(s.Validity == "" || s.Validity == finding.Valid, string(s.Validity)))
		add("why", unless(len(s.Why) == 0, s.Why))
		add("errors", unless(s.Errors == 0, s.Errors))
		for name, v := range gauges(s) {
			add(name, v)
		}
	}
	for _, name := range servicesIn(list) {
		for _, s := range list {
			add(serviceColumn+name, burnt(s, name))
		}
	}
	for name, column := range out {
		if empty(column) {
			delete(out, name)
		}
	}
	return out
}

// unless is the value, or nil where it is the usual one, which scripts know.
func unless(usual bool, value any) any {
	if usual {
		return nil
	}
	return value
}

// gauges are the figures of a second by the name of their panel, nil where the
// machine or the subject can't tell.
func gauges(s analysis.Second) map[string]any {
	out := map[string]any{}
	for name, v := range map[string]*float64{
		"rps": &s.Throughput, "p50": timed(s.P50), "p99": timed(s.P99), "max": timed(s.Max), "lag": &s.LagP99, "generator": &s.Generator,
		"cpu": s.CPU, "rss": s.RSS, "pss": s.PSS, "threads": s.Threads, "openfiles": s.OpenFiles, "runqueue": s.RunQueue, "throttled": s.Throttled, "unread": s.Unread, "unsent": s.Unsent, "acceptqueue": s.AcceptQueue, "switches": s.Switches, "steal": s.Steal,
		"gcpause": s.GCPause, "gccycles": s.GCCycles, "heap": s.Heap, "goroutines": s.Goroutines, "sched": s.SchedP99,
	} {
		out[name] = nil
		if v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			out[name] = round(*v, 4)
		}
	}
	return out
}

// timed is a response time, nil if no response came: none takes 0.
func timed(us float64) *float64 {
	if us == 0 {
		return nil
	}
	return &us
}

// empty reports whether nothing in a column is known.
func empty(column []any) bool {
	for _, v := range column {
		if v != nil {
			return false
		}
	}
	return true
}

// encode returns the island as JSON that is safe inside a script element:
// encoding/json writes <, > and & as escapes.
func (i island) encode() ([]byte, error) {
	data, err := json.Marshal(i)
	if err != nil {
		return nil, fmt.Errorf("report: encoding the charts' data: %w", err)
	}
	return data, nil
}

// worstOfBlock is the highest p99 of each block and the state of its seconds,
// for the heat map's table.
type worstOfBlock struct {
	Text    string
	Invalid int // seconds not counted
}

func heatRow(a *analysis.Analysis, cell *analysis.Cell) []worstOfBlock {
	out := make([]worstOfBlock, blocks(a))
	top := make([]float64, len(out))
	for _, s := range cell.Seconds {
		if s.Index < 0 || s.Block < 0 || s.Block >= len(out) {
			continue
		}
		if s.Validity == finding.Invalid || !used(cell, s) {
			out[s.Block].Invalid++
			continue
		}
		top[s.Block] = max(top[s.Block], s.P99)
	}
	for i := range out {
		out[i].Text = "–"
		if top[i] > 0 {
			out[i].Text = quantity("µs", top[i])
		}
	}
	return out
}
