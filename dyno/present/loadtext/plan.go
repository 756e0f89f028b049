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
	"dyno.example/internal/i18n"
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

// WritePlan prints the schedule of an open loop, as text in a language or as JSON.
func WritePlan(out i18n.Printer, s *load.Spec, asJSON bool) error {
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
		enc := json.NewEncoder(out.To)
		enc.SetIndent("", "  ")
		return enc.Encode(plan)
	}
	return plan.write(out, s, table, length)
}

func (p *planJSON) write(out i18n.Printer, s *load.Spec, table *profile.Timetable, length time.Duration) error {
	var b strings.Builder
	text := i18n.Printer{To: &b, Say: out.Say}
	text.Print(i18n.New("loadtext.plan", "plan: %s requests in %v, %s arrivals, seed %d; nothing is sent", present.Number(p.Planned), length, p.Arrivals, p.Seed))
	if s.MaxRequests > 0 {
		text.Print(i18n.New("loadtext.plan-ends", "      ends after %s requests, also if that is sooner", present.Number(float64(s.MaxRequests))))
	}
	fmt.Fprintf(&b, "\n  %s  %s\n\n", curve(table, length, 60), out.Say(i18n.New("loadtext.plan-top", "at most %s requests/s", present.Number(s.Profile.TopRate()))))
	writePlanRow(&b, out.Say(i18n.New("loadtext.plan-phase", "phase")), "", out.Say(i18n.New("loadtext.plan-from", "from")), out.Say(i18n.New("loadtext.plan-to", "to")),
		out.Say(i18n.New("loadtext.plan-rate", "requests/s")), out.Say(i18n.New("loadtext.plan-requests", "requests")))
	row := func(phase, name string, from, to, planned float64) {
		writePlanRow(&b, phase, name, fmt.Sprintf("%.7gs", from), fmt.Sprintf("%.7gs", to), present.Number(planned/(to-from)), present.Number(planned))
	}
	if s.Warmup > 0 {
		row("", out.Say(i18n.New("loadtext.plan-warm-up", "warm-up")), -s.Warmup.Seconds(), 0, table.Planned(-s.Warmup, 0))
	}
	for _, st := range p.Phases {
		row(fmt.Sprint(st.Phase), st.Name, st.From, st.To, st.Planned)
	}
	_, err := io.WriteString(out.To, b.String())
	return err
}

// writePlanRow prints a phase: its times, its mean rate and how many requests that makes.
func writePlanRow(b *strings.Builder, phase, name, from, to, rate, requests string) {
	fmt.Fprintf(b, "  %s %s %s %s %s %s\n", present.Left(phase, 5), present.Left(present.Cut(name, 30), 30),
		present.Right(from, 10), present.Right(to, 10), present.Right(rate, 12), present.Right(requests, 12))
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
