package capacity

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/objective"
)

// timed is a window with so many response times of 1 ms, and requests that never had
// a response.
func timed(n, without int) measure.Window {
	w := measure.Window{Length: time.Second, Completed: uint64(n), Unfinished: uint64(without)}
	if n > 0 {
		w.Hist[measure.Response] = measure.NewHistogram()
		w.Hist[measure.Response].RecordValues(int64(time.Millisecond), int64(n))
	}
	return w
}

// Figures that don't exist are null, and those that are lower bounds say so, in
// whatever is found.
func TestFiguresThatDoNotExist(t *testing.T) {
	goal, err := objective.Parse("p99 < 20ms")
	if err != nil {
		t.Fatal(err)
	}
	plan := &Overload{Before: time.Second, For: time.Second, After: time.Second}
	for _, c := range []struct {
		name     string
		n, lost  int
		p50, p99 string
		atLeast  bool
		second   string // p99 of a single second, which is drawn
	}{
		{"nothing responded", 0, 0, "null", "null", false, "null"},
		{"nothing responded in time", 0, 50, "null", "null", false, "null"},
		{"too few for a p99", 20, 0, "100", "null", false, "100"},
		{"enough", 500, 0, "100", "100", false, "100"},
		{"hidden", 500, 50, "100", "100", true, "100"},
	} {
		r := &load.Result{Total: timed(c.n, c.lost)}
		for i := range 3 {
			w := timed(c.n, c.lost)
			w.Index = i
			r.Windows = append(r.Windows, w)
		}
		trial := describe(r, &profile.Profile{Connections: 1})
		level := LevelTrial{}
		level.judge(r, nil)
		over := plan.Analyse(goal, r)
		for what, found := range map[string]struct {
			p50, p99 Figure
			atLeast  bool
			want     string
		}{
			"trial":    {trial.P50, trial.P99, trial.AtLeast, c.p99},
			"level":    {level.P50, level.P99, level.AtLeast, c.p99},
			"overload": {over.During.P50, over.During.P99, over.During.AtLeast, c.p99},
			"second":   {over.Seconds[1].P50, over.Seconds[1].P99, over.Seconds[1].AtLeast, c.second},
		} {
			p50, _ := json.Marshal(found.p50)
			p99, _ := json.Marshal(found.p99)
			if !strings.HasPrefix(string(p50), c.p50) || !strings.HasPrefix(string(p99), found.want) || found.atLeast != c.atLeast {
				t.Errorf("%s, %s: p50 %s, p99 %s, at least: %v; want %s, %s, %v", c.name, what, p50, p99, found.atLeast, c.p50, found.want, c.atLeast)
			}
		}
	}
	l := levelOf(4, []LevelTrial{{Connections: 4, Throughput: 100, P50: 1, P99: 2}, {Connections: 4, Down: true, Spoiled: true}})
	if text, err := json.Marshal(l); err != nil || !strings.Contains(string(text), `"up":100,"down":null,"p99_ns":2`) {
		t.Errorf("%s, %v", text, err)
	}
	var back Level
	if err := json.Unmarshal([]byte(`{"up": 1, "down": null}`), &back); err != nil || back.Up != 1 || back.Down.Exists() {
		t.Errorf("%+v, %v", back, err)
	}
}
