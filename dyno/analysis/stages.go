package analysis

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// Stage is the result of one stage of a load with several, over all used trials of a
// cell: of the windows that lie wholly within it and are not invalid. Responses count
// in the window in which they came.
type Stage struct {
	Phase      int     `json:"phase"` // from 1
	Name       string  `json:"name"`  // such as "ramp 100..5000"
	Windows    int     `json:"windows"`
	Offered    float64 `json:"offered"` // requests/s
	Throughput float64 `json:"rps"`
	Errors     uint64  `json:"errors"`
	Response   []Point `json:"response"` // p50 and p99; empty if there was no response
}

// maxStages bounds the stages shown; each takes a histogram.
const maxStages = 200

// stageSums adds up windows by stage.
type stageSums struct {
	table *profile.Timetable
	sums  []measure.Window
	count []int
}

// newStageSums returns nil if the load has one stage only, or too many to show.
func newStageSums(p *profile.Profile) *stageSums {
	table := p.Timetable(0)
	n := len(table.Stages())
	if n < 2 || n > maxStages {
		return nil
	}
	return &stageSums{table: table, sums: make([]measure.Window, n), count: make([]int, n)}
}

// add takes a window of a used trial.
func (s *stageSums) add(w *archive.Window) {
	if s == nil {
		return
	}
	if !w.Counts() {
		s.keep(w.Client.Parts)
		return
	}
	i := s.table.StageWithin(time.Duration(w.Client.Index)*time.Second, w.Client.Length)
	if i < 0 {
		return
	}
	s.count[i]++
	counted := w.Client.Counted(true)
	s.sums[i].Add(&counted)
	s.addTimes(i, &counted)
}

// keep adds what became, in a window that is left out, of arrivals that count.
func (s *stageSums) keep(parts []measure.Window) {
	for p := range parts {
		if i := s.table.StageWithin(time.Duration(parts[p].Index)*time.Second, time.Second); i >= 0 {
			s.sums[i].Keep(&parts[p])
			s.addTimes(i, &parts[p])
		}
	}
}

func (s *stageSums) addTimes(i int, w *measure.Window) {
	addTo(&s.sums[i].Hist[measure.Response], w.Hist[measure.Response])
	addTo(&s.sums[i].Waited[measure.Response], w.Waited[measure.Response])
}

// addTo adds a histogram to one that is made with the first.
func addTo(into **hdrhistogram.Histogram, h *hdrhistogram.Histogram) {
	if h == nil {
		return
	}
	if *into == nil {
		*into = measure.NewHistogram()
	}
	(*into).Merge(h)
}

func (s *stageSums) stages() []Stage {
	if s == nil {
		return nil
	}
	var out []Stage
	for i, planned := range s.table.Stages() {
		w := &s.sums[i]
		stage := Stage{Phase: planned.Phase + 1, Name: planned.Name, Windows: s.count[i], Errors: w.Errors.Total()}
		if seconds := w.Length.Seconds(); seconds > 0 {
			stage.Offered, stage.Throughput = float64(w.Offered)/seconds, float64(w.Completed)/seconds
		}
		for _, percent := range []float64{50, 99} {
			if w.Hist[measure.Response] != nil {
				ns, known := w.Quantile(measure.Response, percent)
				stage.Response = append(stage.Response, Point{Percentile: percent, Micros: float64(ns) / 1e3, Censored: !known})
			}
		}
		out = append(out, stage)
	}
	return out
}
