//go:build linux

package main

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/published"
	"dyno.example/dyno/scripted"
	"dyno.example/dyno/stats"
)

func TestOffIsInUnitsOfWhatIsAllowed(t *testing.T) {
	truth := make([]int64, 1000) // 1 ms to 1000 ms
	for i := range truth {
		truth[i] = int64(i+1) * 1e6
	}
	for _, c := range []struct {
		reported, at, want float64
	}{
		{500_000, 50, 0},
		{501_000, 50, 0}, // the neighbour in rank
		{501_000 + 5060, 50, 1},
		{499_000 - 2*5040, 50, 2},
		{1_000_000, 99.99, 0},
	} {
		if got := off(c.reported, truth, c.at); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("p%v reported as %v is off by %v, want %v", c.at, c.reported, got, c.want)
		}
	}
	if got := worstOff(map[string]float64{"p50": 500_000, "p90": 0}, truth); math.Abs(got-899_000.0/(8990+50)) > 1e-6 {
		t.Errorf("the worst of two: %v", got)
	}
}

// record makes what a server would have recorded of a schedule kept exactly, on
// the given number of connections.
func kept(rate float64, n, connections int, script scripted.Script) *scripted.Record {
	r := &scripted.Record{Script: script}
	for k := range n {
		at := int64(1e12) + int64(float64(k)*1e9/rate)
		due := script.Due(k, at, 1e12)
		r.Arrival, r.Due, r.Response = append(r.Arrival, at), append(r.Due, due), append(r.Response, due)
		r.Conn = append(r.Conn, int32(k%connections))
	}
	return r
}

func TestTruthOfAScheduleThatWasKept(t *testing.T) {
	script := scripted.Script{Freeze: time.Second, Every: 5 * time.Second}
	m := &measured{
		Trial: rounds.Trial{Figures: make(map[string]float64)},
		arm:   &arm{Job: job{Rate: 500, Seconds: 20, Connections: 64}, Server: serverSpec{Script: script.String()}},
		truth: kept(500, 10_000, 64, script),
	}
	m.outcome.Latency = map[string]float64{"p50": 30, "p90": 502_000, "p99": 952_000}
	truthFigures(m)
	for _, name := range []string{"off_scripted", "off_recorded"} {
		if got, ok := m.Figures[name]; !ok || got > 1 {
			t.Errorf("%s = %v, %v; want at most 1", name, got, ok)
		}
	}
	m.outcome.Latency["p90"] = 2000 // as a closed loop would have it
	truthFigures(m)
	if m.Figures["off_recorded"] < 50 {
		t.Errorf("an omitted stall is off by %v only", m.Figures["off_recorded"])
	}
}

func TestTruthIsNotLaidOnAScheduleThatWasNotKept(t *testing.T) {
	m := &measured{arm: &arm{Job: job{Rate: 500, Seconds: 20, Connections: 64}}, truth: kept(490, 9_800, 64, scripted.Script{})}
	if got := m.recorded(); got != nil {
		t.Errorf("%d response times", len(got))
	}
}

func TestLatenessOfSchedulesPerConnection(t *testing.T) {
	// All connections send at once, every 10 ms: hopeless as one schedule, exact
	// as one for each.
	var at []int64
	var conn []int32
	for k := range 1000 {
		for c := range int32(8) {
			at, conn = append(at, 1e9+int64(k)*10e6), append(conn, c)
		}
	}
	if late := lateness(at, conn, 800, 8); p99(late) > 1000 {
		t.Errorf("p99 of the lateness is %d ns", p99(late))
	}
}

func TestArrivalFiguresSetStolenWindowsApart(t *testing.T) {
	r := kept(1000, 5000, 4, scripted.Script{})
	const stolen = 2200 // its arrival is late by 5 ms, in a gap of the server's
	r.Arrival[stolen] += 5e6
	r.Gaps = []scripted.Gap{{Start: r.Arrival[stolen] - 5e6, Length: 5e6}}
	m := &measured{Trial: rounds.Trial{Figures: make(map[string]float64)}, arm: &arm{Job: job{Rate: 1000, Connections: 4}}, truth: r}
	arrivalFigures(m)
	f := m.Figures
	if f["stolen_windows"] != 1 || f["arrival_max_us"] < 4990 || f["clean_max_us"] > 1 {
		t.Errorf("%v windows apart, latest %v µs, latest elsewhere %v µs", f["stolen_windows"], f["arrival_max_us"], f["clean_max_us"])
	}
	if math.Abs(f["rate_off_pct"]) > 0.01 {
		t.Errorf("the rate is off by %v %%", f["rate_off_pct"])
	}
}

func TestWindowsTouchedByAStop(t *testing.T) {
	r := kept(500, 2500, 64, scripted.Script{Delay: 2 * time.Millisecond})
	m := &measured{
		Trial: rounds.Trial{Figures: make(map[string]float64)}, arm: &arm{Job: job{Rate: 500}}, truth: r,
		stops: []scripted.Gap{{Start: 1e12 + 2.3e9, Length: 1e9}},
	}
	for second, validity := range []string{"valid", "invalid", "invalid", "valid", "valid"} {
		m.Windows = append(m.Windows, rounds.Window{Second: second, Validity: validity})
	}
	untouched := m.judgeWindows()
	f := m.Figures
	if f["touched"] != 2 || f["touched_valid"] != 1 || f["untouched_invalid"] != 1 {
		t.Errorf("touched %v, of them not invalid %v, others invalid %v; want 2, 1, 1", f["touched"], f["touched_valid"], f["untouched_invalid"])
	}
	if len(untouched) < 1490 || len(untouched) > 1510 {
		t.Errorf("%d requests in untouched windows, want about 1500", len(untouched))
	}
}

func TestSlope(t *testing.T) {
	var series []float64
	for i := range 600 {
		series = append(series, 10_000+float64(i)/6) // 10 KB a minute
	}
	if got := slope(series, 60); got.N != 8 || math.Abs(got.Estimate-10) > 1e-6 {
		t.Errorf("%+v", got)
	}
	if got := slope(series[:90], 60); got.N != 0 {
		t.Errorf("of a minute and a half: %+v", got)
	}
}

func TestVerdictOnTheOrder(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		wide      float64 // by how much the interval of the family is wider at either end
		n         int
		want      claim.Verdict
	}{
		{1.1, 1.3, 0.2, 7, claim.Confirmed}, {0.8, 0.9, 0.05, 7, claim.Opposite}, {0.9, 1.1, 0, 7, claim.Undecided}, {1.2, 1.2, 0, 1, claim.Undecided},
		{0.8, 0.9, 0.2, 7, claim.Undecided}, // of so many parts one looks so by chance
		{0.985, 0.99, 0, 7, claim.NoEffect}, // surely less, and next to nothing
	} {
		near := stats.Interval{N: c.n, Low: c.low, High: c.high, Level: 0.95}
		if got := holds(near, stats.Interval{N: c.n, Low: c.low - c.wide, High: c.high + c.wide, Level: 0.99}); got != c.want {
			t.Errorf("%v–%v of %d: %s, want %s", c.low, c.high, c.n, got, c.want)
		}
	}
	for _, c := range []struct {
		name  string
		parts [3]claim.Verdict
		want  claim.Verdict
		why   string
	}{
		{"all", [3]claim.Verdict{claim.Confirmed, claim.Confirmed, claim.Confirmed}, claim.Confirmed, "confirmed"},
		{"none", [3]claim.Verdict{claim.Opposite, claim.Opposite, claim.Opposite}, claim.Opposite, "the opposite"},
		{"hey before ab refuted", [3]claim.Verdict{claim.Confirmed, claim.Opposite, claim.Opposite}, claim.Mixed, "the order does not hold"},
		{"wrk and hey alike", [3]claim.Verdict{claim.NoEffect, claim.Confirmed, claim.Confirmed}, claim.Mixed, "the order does not hold"},
		{"hey before ab undecided", [3]claim.Verdict{claim.Confirmed, claim.Undecided, claim.Confirmed}, claim.Undecided, "undecided"},
		{"only ab -k is before hey", [3]claim.Verdict{claim.Confirmed, claim.Confirmed, claim.Opposite}, claim.Mixed, "confirmed for ab as it comes"},
	} {
		if got, why := together(c.parts[0], c.parts[1], c.parts[2]); got != c.want || !strings.HasPrefix(why, c.why) {
			t.Errorf("%s: %s, %s", c.name, got, why)
		}
	}
}

func TestToolsRecordCanBePublished(t *testing.T) {
	r := &rounds.Record{Started: time.Now(), Command: []string{"go", "run"}, Settings: rounds.Settings{Rounds: 3, Seconds: 10, Connections: 64}}
	for round := range r.Settings.Rounds {
		for tool, rate := range map[string]float64{"wrk": 300, "hey": 200, "ab": 50, "ab -k": 250} {
			noise := 1 + float64(round)/100
			r.Trials = append(r.Trials, rounds.Trial{Round: round, Tool: tool, Level: plainLevel, Figures: map[string]float64{"requests_per_s": rate * noise}})
		}
	}
	record := toolsRecord(r, false)
	document, err := record.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := published.ReadAll(fstest.MapFS{"fiber-tools/" + published.FileName: {Data: document}})
	if err != nil || len(read) != 1 {
		t.Fatalf("%v, %v", read, err)
	}
	if v := read[0].Verdicts[0]; v.ID != "fiber-tools" || v.Verdict != claim.Mixed || v.Parts[1].Verdict != claim.Confirmed || v.Parts[2].Verdict != claim.Opposite {
		t.Errorf("got %+v", v)
	}
}

func TestPerConnection(t *testing.T) {
	r := &rounds.Record{Trials: []rounds.Trial{
		{Tool: "dyno", Level: "10 connections", Figures: map[string]float64{"rss_kb": 10_000, "open_files": 15}},
		{Tool: "dyno", Level: "10000 connections", Figures: map[string]float64{"rss_kb": 10_000 + 2*9990, "open_files": 10_005}},
	}}
	perConnection(r)
	if got := r.Trials[1].Figures["kb_per_connection"]; got != 2 {
		t.Errorf("%v KB, want 2", got)
	}
}
