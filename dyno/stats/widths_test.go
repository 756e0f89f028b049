package stats_test

import (
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// A study that ends as soon as its intervals are narrow enough has intervals that hold the
// truth, whatever width is asked for; Student's would not.
func TestWidthsHold(t *testing.T) {
	const level, last = 0.95, 20
	w := stats.NewWidths(3, last, level)
	arms := statstest.Alike(2)
	arms[0].Noise, arms[1].Noise = 0.01, 0.01
	d := statstest.Slices{Host: statstest.Hosts()[0], Arms: arms, Starts: last, Rounds: 10, Slice: 0.1}
	naiveWorst := 1.0
	for _, asked := range []float64{0.005, 0.01, 0.015, 0.02, 0.03} {
		var covered, naive statstest.Rate
		ended := 0
		r := statstest.Seeded(1)
		for range 600 {
			starts := statstest.AgainstFirst(d.Draw(r))[0]
			for n := w.First; n <= last; n++ {
				s := w.Ratio(starts[:n])
				if w.Reached(s, asked) || n == last {
					covered.Add(s.Ratio.Contains(1))
					ended += n
					break
				}
			}
			for n := w.First; n <= last; n++ {
				s := stats.SlicedRatio(starts[:n], level)
				if w.Reached(s, asked) || n == last {
					naive.Add(s.Ratio.Contains(1))
					break
				}
			}
		}
		if _, high := covered.Interval(); high < level {
			t.Errorf("±%v: %s hold the truth", asked, covered)
		}
		naiveWorst = min(naiveWorst, naive.Share())
		t.Logf("±%v: %s, after %.1f starts; Student's %s", asked, covered, float64(ended)/600, naive)
	}
	if naiveWorst > 0.93 {
		t.Errorf("Student's interval would do: %v", naiveWorst)
	}
}

// There is nothing to see before the first look, and three starts are the least.
func TestWidthsBeforeTheFirstLook(t *testing.T) {
	w := stats.NewWidths(1, 5, 0.95)
	if w.First != 3 {
		t.Errorf("the first look is after %d starts", w.First)
	}
	d := statstest.Slices{Host: statstest.Hosts()[0], Arms: statstest.Alike(2), Starts: 3, Rounds: 5, Slice: 0.1}
	list := statstest.AgainstFirst(d.Draw(statstest.Seeded(1)))
	if s := w.Ratio(list[0][:2]); s.Ratio.Level != 0 || s.Ratio.Note.IsZero() || w.Reached(s, 10) {
		t.Errorf("%+v", s.Ratio)
	}
	s, student := w.Ratio(list[0]), stats.SlicedRatio(list[0], 0.95)
	if s.Ratio.Level != 0.95 || s.Ratio.High <= student.Ratio.High || s.Ratio.Estimate != student.Ratio.Estimate || !w.Reached(s, 10) || w.Reached(s, 1e-6) {
		t.Errorf("%+v, Student's %+v", s.Ratio, student.Ratio)
	}
}
