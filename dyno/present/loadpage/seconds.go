package loadpage

import (
	"strconv"

	"dyno.example/dyno/export"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
)

// What a page shows of a long load: a chart has so many points, of which each is the
// worst of some seconds, and a table so many rows.
const (
	mostPoints = 1000
	mostRows   = 600
	mostDots   = 60 // more points than these are a line only
)

// seconds are charts and a table of the measured windows. Those that are invalid are in
// neither.
func (p *page) seconds(l *Load) section {
	s := section{ID: "seconds", Title: p.Text("loadpage.seconds"), Folded: true}
	s.Head = append(heads(p.Texts, "second", "throughput", "failed"), "p50", "p99", p.Text("load.max"))
	var rate, failed, p50, p99 [][2]float64
	for i := range l.Result.Windows {
		w := &l.Result.Windows[i]
		seconds := w.Length.Seconds()
		if w.Warmup() || seconds <= 0 || w.Validity() == finding.Invalid {
			continue
		}
		at := float64(w.Index) + seconds/2
		rate = append(rate, [2]float64{at, float64(w.Completed) / seconds})
		failed = append(failed, [2]float64{at, float64(w.Errors.Total()) / seconds})
		figures := export.Figures(w, measure.Response)
		for _, f := range figures {
			switch {
			case f.Absent, f.Failed:
			case f.Name == "p50":
				p50 = append(p50, [2]float64{at, f.NS / 1e6})
			case f.Name == "p99":
				p99 = append(p99, [2]float64{at, f.NS / 1e6})
			}
		}
		if len(s.Rows) < mostRows {
			texts := []string{strconv.Itoa(w.Index), present.Number(float64(w.Completed)/seconds) + "/s", number(w.Errors.Total())}
			s.Rows = append(s.Rows, row{"", append(texts, pick(figures, "p50", "p99", "max")...)})
		}
	}
	if len(rate) < 2 {
		return section{}
	}
	if len(rate) > mostRows {
		s.Note = p.Text("loadpage.seconds.more", "n", len(rate))
	}
	x := p.Text("loadpage.axis.seconds")
	s.Charts = append(s.Charts, curve.Chart{Title: p.Text("loadpage.chart.throughput"), X: x, Y: p.Text("loadpage.axis.rate"), Series: []curve.Series{
		series(p.Text("loadpage.head.answered"), "main", rate, false), series(p.Text("loadpage.head.failed"), "bad", failed, true),
	}})
	if len(p50) > 1 {
		s.Charts = append(s.Charts, curve.Chart{Title: p.Text("loadpage.chart.response"), X: x, Y: "ms", Series: []curve.Series{
			series("p50", "main", p50, true), series("p99", "other", p99, true),
		}})
	}
	s.Lead = p.Text("loadpage.seconds.lead")
	return s
}

// series is a line through the points, of which each is the worst of some if there are
// too many: the highest, or the lowest.
func series(name, class string, points [][2]float64, highest bool) curve.Series {
	each := (len(points) + mostPoints - 1) / mostPoints
	if each > 1 {
		var kept [][2]float64
		for start := 0; start < len(points); start += each {
			worst := points[start]
			for _, x := range points[start:min(start+each, len(points))] {
				if highest == (x[1] > worst[1]) {
					worst = x
				}
			}
			kept = append(kept, worst)
		}
		points = kept
	}
	return curve.Series{Name: name, Class: class, Points: points, Line: true, Bare: len(points) > mostDots}
}
