package analysis

import (
	"cmp"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// What happened in the worst seconds: figures for claims about what the tail comes from.
const (
	tailLeast = 8 // seconds; of fewer the worst quarter is one
	// tailLate is by how many seconds the server's series are moved against the client's
	// for the figures of series that aren't aligned.
	tailLate = 2
	tailName = "tail."
)

// tail is what is kept of each second.
type tail []tailSecond

type tailSecond struct {
	index        int
	p99          float64 // of the response, µs
	pause, files *float64
}

func (t *tail) add(w *archive.Window) {
	s := tailSecond{index: w.Client.Index, p99: windowQuantile(w, measure.Response, 99)}
	if r := w.Server.Runtime; r != nil {
		s.pause = known(&w.Server, micro(r.GCPause), "gc_pause")
	}
	if p := w.Server.Process; p != nil {
		s.files = known(&w.Server, float64(p.OpenFiles), "open_files", "process")
	}
	*t = append(*t, s)
}

// tails are the figures of the worst seconds: which share of the worst quarter, by P99, are
// also among the quarter in which collections stopped the subject for longest, or it had
// most files open. By chance that is 25 %. They are no merit of the subject.
func tails() (list []figure) {
	series := []struct {
		name string
		of   func(*tailSecond) *float64
	}{
		{"gc", func(s *tailSecond) *float64 { return s.pause }},
		{"files", func(s *tailSecond) *float64 { return s.files }},
	}
	for _, one := range series {
		for suffix, late := range map[string]int{"": 0, ".late": tailLate} {
			list = append(list, figure{
				Metric: Metric{tailName + one.name + suffix, "%", string(stats.Lower)},
				of:     func(s *sums) (float64, i18n.Message) { return s.tail.shared(one.of, late) },
			})
		}
	}
	slices.SortFunc(list, func(a, b figure) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func (f figure) isOfTail() bool { return strings.HasPrefix(f.Name, tailName) }

// asksForTails reports whether a claim of the run is about the worst seconds.
func asksForTails(m *archive.Manifest) bool {
	for i := range m.Claims {
		for _, expression := range m.Claims[i].Expressions {
			if strings.Contains(expression, tailName) {
				return true
			}
		}
	}
	return false
}

// shared is the share, in %, of the worst seconds that are also among the highest of a
// series, which is so many seconds late.
func (t tail) shared(of func(*tailSecond) *float64, late int) (percent float64, missing i18n.Message) {
	told := make(map[int]*float64)
	for i := range t {
		told[t[i].index] = of(&t[i])
	}
	var slow, much []float64
	for i := range t {
		if value := told[t[i].index-late]; value != nil {
			slow, much = append(slow, t[i].p99), append(much, *value)
		}
	}
	if len(slow) < tailLeast {
		return 0, i18n.New("analysis.series-too-short", "the series has fewer than 8 seconds")
	}
	worst, highest := upperQuarter(slow), upperQuarter(much)
	if len(worst) == 0 {
		return 0, i18n.New("analysis.no-worst-second", "no second was worse than the others")
	}
	both := 0
	for _, i := range worst {
		if slices.Contains(highest, i) {
			both++
		}
	}
	return 100 * float64(both) / float64(len(worst)), i18n.Message{}
}

// upperQuarter are the places of the highest quarter of the values, if they are above the
// median: a constant series has none.
func upperQuarter(values []float64) []int {
	sorted := slices.Sorted(slices.Values(values))
	median := sorted[(len(sorted)-1)/2]
	var places []int
	for i, v := range values {
		if v > median {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return places[:min(len(places), len(values)/4)]
}
