package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/explain"
)

// picture is the drawing of a tail; without slow requests there is none.
type picture struct {
	Legend []evidence.Stage
	Sum    []stacked // ordinary and slow, on one scale
	Bars   []box     // the slowest requests, each a bar of stages
	Count  int       // of the slowest
	Top    string    // the longest of them
	Lanes  []lane    // the requests of the densest stretch, on one axis
	From   string    // its beginning
	Long   string    // its length
	Times  []box     // all of the slowest in the trial: when, and how long
	Strips []strip   // what went on beside them
	Trial  int
}

// box is a rectangle in a picture of 1000 × 100.
type box struct {
	X, Y, W, H float64
	Stage      evidence.Stage
	Title      string
}

// stacked is a bar with a name.
type stacked struct {
	Name  string
	Total string
	Boxes []box
}

// lane is a request on the axis of time.
type lane struct {
	Name  string
	Boxes []box
}

// strip is something of each second, from none to its most.
type strip struct {
	Name  string
	Boxes []box // H is how much
}

const (
	pictureWide = 1000.0
	pictureHigh = 100.0
	lanesMost   = 40
)

func newPicture(e *explain.Explanation, c language) *picture {
	if len(e.Slowest) == 0 {
		return nil
	}
	p := &picture{Count: len(e.Slowest), Top: quantity("µs", e.Slowest[0].Took/1e3)}
	p.sums(e, c)
	p.bars(e.Slowest)
	for _, s := range e.Beside {
		p.Trial = s.Trial
	}
	var here []explain.Slow
	for _, s := range e.Slowest {
		if len(e.Beside) == 0 || s.Trial == p.Trial {
			here = append(here, s)
		}
	}
	p.lanes(here)
	p.times(here, e.Beside)
	for _, stage := range evidence.Stages() {
		if slices.ContainsFunc(p.Bars, func(b box) bool { return b.Stage == stage }) || slices.ContainsFunc(e.Budget, func(b explain.Part) bool { return b.Stage == stage }) {
			p.Legend = append(p.Legend, stage)
		}
	}
	return p
}

// sums are the budgets of ordinary and slow requests.
func (p *picture) sums(e *explain.Explanation, c language) {
	ordinary, slow := 0.0, 0.0
	for _, part := range e.Budget {
		ordinary, slow = ordinary+part.Ordinary, slow+part.Slow
	}
	if slow <= 0 {
		return
	}
	for _, one := range []struct {
		key   string
		total float64
		of    func(explain.Part) float64
	}{{"explained.ordinary", ordinary, func(b explain.Part) float64 { return b.Ordinary }}, {"explained.slow", slow, func(b explain.Part) float64 { return b.Slow }}} {
		bar := stacked{Name: c.text(one.key), Total: quantity("µs", one.total/1e3)}
		at := 0.0
		for _, part := range e.Budget {
			wide := one.of(part) / max(slow, ordinary) * pictureWide
			bar.Boxes = append(bar.Boxes, box{X: tenth(at), W: tenth(wide), H: pictureHigh, Stage: part.Stage, Title: fmt.Sprintf("%s: %s", part.Stage, quantity("µs", one.of(part)/1e3))})
			at += wide
		}
		p.Sum = append(p.Sum, bar)
	}
}

// bars are the slowest requests side by side, the longest as high as the picture.
func (p *picture) bars(list []explain.Slow) {
	wide := pictureWide / float64(max(len(list), 20))
	for i := range list {
		at := pictureHigh
		sums := map[evidence.Stage]float64{}
		for _, v := range list[i].Intervals {
			sums[v.Stage] += float64(v.To - v.From)
		}
		for _, stage := range evidence.Stages() {
			high := sums[stage] / list[0].Took * pictureHigh
			if high < 0.05 {
				continue
			}
			at -= high
			p.Bars = append(p.Bars, box{X: tenth(float64(i) * wide), Y: tenth(at), W: tenth(wide * 0.9), H: tenth(high), Stage: stage,
				Title: fmt.Sprintf("%s: %s / %s", stage, quantity("µs", sums[stage]/1e3), quantity("µs", list[i].Took/1e3))})
		}
	}
}

// lanes are the requests of the stretch in which most of them were under way: as long as
// three of the longest.
func (p *picture) lanes(list []explain.Slow) {
	if len(list) == 0 {
		return
	}
	order := slices.Clone(list)
	slices.SortFunc(order, func(a, b explain.Slow) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Sequence, b.Sequence))
	})
	long := 3 * list[0].Took / 1e9
	first, count := 0, 0
	for i := range order {
		n := 0
		for n < len(order)-i && order[i+n].At < order[i].At+long {
			n++
		}
		if n > count {
			first, count = i, n
		}
	}
	chosen := order[first : first+min(count, lanesMost)]
	begin := chosen[0].At
	end := begin
	for i := range chosen {
		end = max(end, chosen[i].At+chosen[i].Took/1e9)
	}
	p.From, p.Long = fmt.Sprintf("%.3f s", begin), quantity("µs", (end-begin)*1e6)
	for i := range chosen {
		r := &chosen[i]
		one := lane{Name: r.Of}
		for _, v := range r.Intervals {
			x := (r.At - begin + float64(v.From)/1e9) / (end - begin) * pictureWide
			wide := float64(v.To-v.From) / 1e9 / (end - begin) * pictureWide
			if wide < 0.2 {
				continue
			}
			title := fmt.Sprintf("%s: %s", v.Stage, quantity("µs", float64(v.To-v.From)/1e3))
			if v.Reason != "" {
				title += " (" + v.Reason + ")"
			}
			one.Boxes = append(one.Boxes, box{X: tenth(x), W: tenth(wide), H: pictureHigh, Stage: v.Stage, Title: title})
		}
		p.Lanes = append(p.Lanes, one)
	}
}

// times are the requests over the trial, and beside them what went on each second.
func (p *picture) times(list []explain.Slow, beside []explain.Strip) {
	if len(beside) == 0 || len(list) == 0 {
		return
	}
	from, seconds := float64(beside[0].From), float64(len(beside[0].Values))
	for i := range list {
		high := max(list[i].Took/list[0].Took*pictureHigh, 2)
		p.Times = append(p.Times, box{X: tenth((list[i].At - from) / seconds * pictureWide), Y: tenth(pictureHigh - high), W: 2, H: tenth(high), Title: fmt.Sprintf("%.3f s: %s", list[i].At, quantity("µs", list[i].Took/1e3))})
	}
	for _, s := range beside {
		one := strip{Name: string(s.Name)}
		most := slices.Max(s.Values)
		for i, v := range s.Values {
			if high := v / most * pictureHigh; high >= 1 {
				one.Boxes = append(one.Boxes, box{X: tenth(float64(i) / seconds * pictureWide), Y: tenth(pictureHigh - high), W: tenth(pictureWide / seconds), H: tenth(high), Title: fmt.Sprintf("%d s: %.0f %%", s.From+i, high)})
			}
		}
		p.Strips = append(p.Strips, one)
	}
}

// tenth rounds to a tenth, for a page that isn't longer than it has to be.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }
