package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/machine"
)

// fact is a name and what it is, one line of a description list.
type fact struct {
	Name, Value string
	Code        bool // Value is to be read character by character
}

// facts keeps those that have a value.
func facts(all ...fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}

// keyFacts is the line under the headline: which run this is.
func keyFacts(a *analysis.Analysis, c language) []fact {
	m := &a.Run
	return facts(
		fact{Name: c.text("fact.study"), Value: studyName(m, c)},
		fact{Name: c.text("fact.run"), Value: m.ID, Code: true},
		fact{Name: c.text("fact.date"), Value: moment8601(m.Started)},
		fact{Name: c.text("fact.duration"), Value: span(m.Started, m.Finished)},
		fact{Name: c.text("fact.trials"), Value: trialCount(a, c)},
		fact{Name: c.text("fact.seconds"), Value: measuredSeconds(a, c)},
		fact{Name: c.text("fact.blocks"), Value: blockCount(a, c)},
		fact{Name: c.text("fact.seed"), Value: strconv.FormatUint(m.Plan.Seed, 10), Code: true},
	)
}

func studyName(m *archive.Manifest, c language) string {
	if m.Quick {
		return m.Study + " (" + c.text("fact.quick") + ")"
	}
	return m.Study
}

// moment8601 writes a time to the minute, with its offset, as the run noted it.
func moment8601(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	if _, offset := t.Zone(); offset == 0 {
		return t.Format("2006-01-02 15:04") + " UTC"
	}
	return t.Format("2006-01-02 15:04 -07:00")
}

// span writes how long something took: "3 min 42 s".
func span(from, to time.Time) string {
	if from.IsZero() || to.Before(from) {
		return ""
	}
	return length(to.Sub(from))
}

func length(d time.Duration) string {
	d = d.Round(time.Millisecond)
	switch {
	case d < time.Second:
		return quantity("µs", float64(d)/1e3)
	case d < time.Minute:
		return strconv.FormatFloat(math.Round(d.Seconds()*10)/10, 'f', -1, 64) + " s"
	case d < time.Hour:
		return parts(d, time.Minute, "min", time.Second, "s")
	}
	return parts(d, time.Hour, "h", time.Minute, "min")
}

func parts(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	d = d.Round(small)
	s := fmt.Sprintf("%d %s", d/big, bigName)
	if rest := d % big / small; rest > 0 {
		s += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return s
}

// trialCount says how many trials were planned and how many count.
func trialCount(a *analysis.Analysis, c language) string {
	planned, taken := a.Run.Plan.Originals(), 0
	for _, g := range a.Groups {
		for _, cell := range arms(&g) {
			taken += len(cell.Trials)
		}
	}
	repeats := len(a.Run.Plan.Trials) - planned
	switch {
	case repeats > 0:
		return c.text("fact.trials.repeated", "used", taken, "planned", planned, "repeats", repeats)
	case taken == planned:
		return strconv.Itoa(planned)
	}
	return c.text("fact.trials.some", "used", taken, "planned", planned)
}

// measuredSeconds says how many seconds of the used trials were measured, and
// how many of them were invalid.
func measuredSeconds(a *analysis.Analysis, c language) string {
	used, invalid := 0, 0
	for _, g := range a.Groups {
		for _, cell := range arms(&g) {
			used, invalid = used+cell.Windows+cell.Invalid, invalid+cell.Invalid
		}
	}
	switch {
	case used == 0:
		return ""
	case invalid == 0:
		return c.text("fact.seconds.all", "used", used)
	}
	return c.text("fact.seconds.some", "used", used, "invalid", invalid)
}

// blockCount says how many blocks there were and, of a run that went on block by
// block, why it ended.
func blockCount(a *analysis.Analysis, c language) string {
	n := strconv.Itoa(blocks(a))
	if a.Run.Ended == "" {
		return n
	}
	return c.text("fact.blocks.ended", "n", n, "why", c.text("ended."+a.Run.Ended))
}

func blocks(a *analysis.Analysis) int {
	n := 0
	for _, t := range a.Run.Plan.Trials {
		n = max(n, t.Block+1)
	}
	return n
}

// machineFacts describes the machine the run happened on.
func machineFacts(f machine.Fingerprint, c language) []fact {
	return facts(
		fact{Name: c.text("machine.cpu"), Value: strings.TrimSpace(fmt.Sprintf("%s × %d", f.CPUModel, f.CPUs))},
		fact{Name: c.text("machine.smt"), Value: f.SMT},
		fact{Name: c.text("machine.numa"), Value: positive(f.NUMANodes)},
		fact{Name: c.text("machine.memory"), Value: quantity("bytes", float64(f.MemoryBytes))},
		fact{Name: c.text("machine.swap"), Value: quantity("bytes", float64(f.SwapBytes))},
		fact{Name: c.text("machine.os"), Value: words(f.Distribution, f.OS)},
		fact{Name: c.text("machine.kernel"), Value: strings.TrimSpace(f.Kernel + " " + f.Arch)},
		fact{Name: c.text("machine.virtualization"), Value: f.Virtualization},
		fact{Name: c.text("machine.governor"), Value: f.Governor},
		fact{Name: c.text("machine.turbo"), Value: f.Turbo},
		fact{Name: c.text("machine.clock"), Value: f.ClockSource},
		fact{Name: c.text("machine.cgroup"), Value: f.Cgroup},
		fact{Name: c.text("machine.congestion"), Value: f.Congestion},
		fact{Name: c.text("machine.somaxconn"), Value: positive(f.Somaxconn)},
		fact{Name: c.text("machine.files"), Value: positive(int(min(f.FileLimit, math.MaxInt)))},
		fact{Name: c.text("machine.ports"), Value: f.PortRange},
		fact{Name: c.text("machine.thp"), Value: f.THP},
		fact{Name: c.text("machine.go"), Value: f.GoVersion},
	)
}

// words is the first that is not empty.
func words(options ...string) string {
	for _, o := range options {
		if o != "" {
			return o
		}
	}
	return ""
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// methodFacts says how it was measured.
func methodFacts(a *analysis.Analysis, c language) []fact {
	m := &a.Run
	list := []fact{}
	for i := range a.Groups {
		g := &a.Groups[i]
		list = append(list, fact{Name: c.text("method.load"), Value: g.Title + c.text("list.colon") + rhythm(a, g, c)})
	}
	return append(list, facts(
		fact{Name: c.text("method.requests"), Value: requests(m), Code: true},
		fact{Name: c.text("method.trial"), Value: trialText(m, c)},
		fact{Name: c.text("method.order"), Value: c.text("method.order.text", "blocks", c.count("blocks", blocks(a)), "seed", m.Plan.Seed)},
		fact{Name: c.text("method.design"), Value: designText(m, c)},
		fact{Name: c.text("method.placement"), Value: placement(m.Placement, c)},
		fact{Name: c.text("method.calibration"), Value: calibration(m.Calibration, c)},
		fact{Name: c.text("method.reference"), Value: m.Reference},
		fact{Name: c.text("method.dyno"), Value: m.Dyno},
		fact{Name: c.text("method.address"), Value: a.Address.String(), Code: true},
	)...)
}

// designText says which combinations of levels were measured, if not all.
func designText(m *archive.Manifest, c language) string {
	d := m.Plan.Design
	if d == nil {
		return ""
	}
	if d.Samples == 0 {
		return c.text("method.design.plain", "kind", d.Kind, "factors", c.list(d.Factors))
	}
	return c.text("method.design.text", "kind", d.Kind, "factors", c.list(d.Factors), "samples", d.Samples)
}

// trialText is what a trial does.
func trialText(m *archive.Manifest, c language) string {
	if m.WarmupMost > 0 {
		return c.text("method.trial.steady", "warmup", length(m.Warmup), "most", length(m.WarmupMost), "duration", length(m.Duration))
	}
	return c.text(trialKind(m), "warmup", length(m.Warmup), "duration", length(m.Duration))
}

// trialKind is the wording of what a trial does: a subject that is only an address
// can't be started.
func trialKind(m *archive.Manifest) string {
	if !slices.ContainsFunc(m.Subjects, func(s archive.Subject) bool { return s.URL == "" }) {
		return "method.trial.url"
	}
	return "method.trial.text"
}

// rhythm describes a group's load in words.
func rhythm(a *analysis.Analysis, g *analysis.Group, c language) string {
	p := profileOf(a, g)
	if p.Mode == profile.Open {
		arrivals := c.text("method.arrivals." + words(string(p.Arrivals), string(profile.Poisson)))
		rate := strconv.FormatFloat(p.Rate, 'f', -1, 64) + gap + "req/s"
		if len(p.Phases) > 0 {
			rate = c.say(p.Rhythm())
		}
		return c.text("method.open", "rate", rate, "arrivals", arrivals, "connections", p.Connections)
	}
	return c.text("method.closed", "connections", p.Connections)
}

// requests lists the distinct requests of the plan: "GET /plaintext".
func requests(m *archive.Manifest) string {
	var list []string
	for _, cell := range m.Plan.Cells {
		for _, r := range cell.Requests {
			line := r.Method + " " + r.Path
			if r.Body != "" {
				line += fmt.Sprintf(" (%d B)", len(r.Body))
			}
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
	}
	return strings.Join(list, ", ")
}

func placement(p archive.Placement, c language) string {
	if p.Mode == "" {
		return ""
	}
	if len(p.Generator)+len(p.Subject) == 0 {
		return p.Mode
	}
	return c.text("method.placement.text", "mode", p.Mode, "generator", c.cpus(p.Generator), "subject", c.cpus(p.Subject))
}

func (c language) cpus(list []int) string {
	if len(list) == 0 {
		return "–"
	}
	var s []string
	for _, n := range list {
		s = append(s, strconv.Itoa(n))
	}
	return strings.Join(s, c.text("list.comma"))
}

// calibration says what the generator could do on the run's machine.
func calibration(k *measure.Calibration, c language) string {
	if k == nil {
		return ""
	}
	return c.text("method.calibration.text", "ceiling", quantity("req/s", k.Ceiling), "floor", quantity("µs", float64(k.Floor.Min)/1e3), "timer", quantity("µs", float64(k.Timer.P99)/1e3))
}
