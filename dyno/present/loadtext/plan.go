package loadtext

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/present"
)

// planJSON is what dyno load --plan --json prints.
type planJSON struct {
	Seed     uint64           `json:"seed"`
	Arrivals profile.Arrivals `json:"arrivals"`
	Warmup   float64          `json:"warmup_s"`
	Duration float64          `json:"duration_s"` // 0: until so many requests are done
	Planned  float64          `json:"planned"`    // requests in the measured time; the mean of it for Poisson arrivals
	Phases   []planStage      `json:"phases"`
}

type planStage struct {
	Phase   int     `json:"phase"` // from 1
	Name    string  `json:"name"`
	From    float64 `json:"from_s"`
	To      float64 `json:"to_s"`
	Planned float64 `json:"planned"`
}

// WritePlan prints the schedule of an open loop, as text or JSON.
func WritePlan(w io.Writer, s *load.Spec, asJSON bool) error {
	table := s.Profile.Timetable(s.Warmup)
	length := s.Duration
	if length == 0 { // at a steady rate, until all requests are sent
		length = time.Duration(min(float64(s.MaxRequests)/s.Profile.Rate*1e9, float64(profile.MaxLength)))
	}
	plan := planJSON{Seed: s.Seed, Arrivals: s.Profile.Arrivals, Warmup: s.Warmup.Seconds(), Duration: length.Seconds(), Planned: table.Planned(0, length)}
	for _, st := range table.Stages() {
		to := min(st.To, length)
		plan.Phases = append(plan.Phases, planStage{st.Phase + 1, st.Name, st.From.Seconds(), to.Seconds(), table.Planned(st.From, to)})
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(plan)
	}
	return plan.write(w, s, table, length)
}

func (p *planJSON) write(w io.Writer, s *load.Spec, table *profile.Timetable, length time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "plan: %s requests in %v, %s arrivals, seed %d; nothing is sent\n", present.Number(p.Planned), length, p.Arrivals, p.Seed)
	if s.MaxRequests > 0 {
		fmt.Fprintf(&b, "      ends after %s requests, also if that is sooner\n", present.Number(float64(s.MaxRequests)))
	}
	line := curve(table, length, 60)
	fmt.Fprintf(&b, "\n  %s  at most %s requests/s\n\n", line, present.Number(s.Profile.TopRate()))
	fmt.Fprintf(&b, "  %-5s %-30s %10s %10s %12s %12s\n", "phase", "", "from", "to", "requests/s", "requests")
	if s.Warmup > 0 {
		writePlanRow(&b, "", "warm-up", -s.Warmup.Seconds(), 0, table.Planned(-s.Warmup, 0))
	}
	for _, st := range p.Phases {
		writePlanRow(&b, fmt.Sprint(st.Phase), st.Name, st.From, st.To, st.Planned)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writePlanRow prints times in seconds and the mean rate between them.
func writePlanRow(b *strings.Builder, phase, name string, from, to, planned float64) {
	fmt.Fprintf(b, "  %-5s %-30s %9.7gs %9.7gs %12s %12s\n", phase, present.Cut(name, 30), from, to, present.Number(planned/(to-from)), present.Number(planned))
}

// curve draws the planned rate as a line of so many blocks.
func curve(table *profile.Timetable, length time.Duration, columns int) string {
	rates, top := make([]float64, columns), 0.0
	for i := range rates {
		from, to := at(length, i, columns), at(length, i+1, columns)
		rates[i] = table.Planned(from, to) / (to - from).Seconds()
		top = max(top, rates[i])
	}
	blocks := []rune("▁▂▃▄▅▆▇█")
	drawn := make([]rune, columns)
	for i, rate := range rates {
		drawn[i] = ' '
		if rate > 0 {
			drawn[i] = blocks[int(math.Ceil(rate/top*float64(len(blocks))))-1]
		}
	}
	return string(drawn)
}

// at is where column i of so many begins.
func at(length time.Duration, i, columns int) time.Duration {
	return time.Duration(float64(length) * float64(i) / float64(columns))
}
