package loadcmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// profileFlags are the flags of dyno load that shape its rhythm.
type profileFlags struct {
	phases         []string
	think          string
	overflow       string
	maxConnections int
	plan           bool
}

func (f *profileFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.phases, "phase", nil, "a phase of an open loop, such as 'ramp 100..5000 30s' (repeatable; instead of --rate and --duration)")
	flags.StringVar(&f.think, "think", "", "pause of a closed loop between a response and the next request: 100ms, or exp:100ms for exponential ones")
	f.registerOverflow(flags)
	flags.BoolVar(&f.plan, "plan", false, "print what would be sent when, and send nothing")
}

// registerOverflow registers the flags about arrivals that find no connection.
func (f *profileFlags) registerOverflow(flags *pflag.FlagSet) {
	flags.StringVar(&f.overflow, "overflow", "", "what an arrival does that finds no idle connection: wait, open (a further one) or shed (give up) (default wait)")
	flags.IntVar(&f.maxConnections, "max-connections", 0, "limit of the connections with --overflow open (default 1000000)")
}

// phaseHelp explains --phase.
func phaseHelp() string {
	var b strings.Builder
	b.WriteString("With --phase the rate changes as the load goes on; phases follow one another.\nTheir forms, each with an example:\n\n")
	for _, s := range profile.Shapes() {
		fmt.Fprintf(&b, "  %s\n      '%s'\n", s.Form(), s.Example())
	}
	b.WriteString(`
Rates are requests per second and may be 0, for a pause. A trace is a file with
one start a line, in seconds ("1.5"), with a unit ("1500ms") or as {"at": 1.5};
it can loop. A soak is a constant rate for long, for which dyno keeps no
histograms of single seconds unless --html asks for them. A phase may end in
uniform or poisson. --warmup holds the rate with which the first phase begins.
--plan shows the plan without sending it.`)
	return b.String()
}

// apply puts the flags into the load's profile. Messages name the flag.
func (f *profileFlags) apply(spec *load.Spec, all *Flags) error {
	p := &spec.Profile
	if len(f.phases) > 0 {
		if err := f.conflict(all); err != nil {
			return err
		}
		p.Mode, p.Arrivals = profile.Open, profile.Arrivals(all.arrivals)
		phases, err := parsePhases(f.phases)
		if err != nil {
			return err
		}
		p.Phases = phases
		spec.Duration = p.Length()
	}
	spec.DropHistograms = !all.needHistograms()
	if f.plan && p.Mode == profile.Closed {
		return i18n.Errorf("loadcmd.plan-of-closed-loop", "--plan: a closed loop has no plan, it sends when responses come; give a --rate or --phase")
	}
	p.Overflow, p.MaxConnections = profile.Overflow(f.overflow), f.maxConnections
	return f.applyThink(p)
}

// conflict refuses flags that say the same as phases.
func (f *profileFlags) conflict(all *Flags) error {
	if all.open {
		return i18n.Errorf("loadcmd.rate-and-phases", "--rate and --phase: give one of them; --phase 'constant RATE DURATION' has the rate in it")
	}
	if all.duration != 0 {
		return i18n.Errorf("loadcmd.duration-and-phases", "--duration and --phase: the phases say how long the load takes; leave --duration out")
	}
	return nil
}

func parsePhases(texts []string) ([]profile.Phase, error) {
	var phases []profile.Phase
	for _, text := range texts {
		ph, err := profile.ParsePhase(text)
		if err == nil {
			err = ph.Open(func(name string) string { return name })
		}
		if err != nil {
			return nil, i18n.Errorf("loadcmd.phase", "--phase %q: %w", text, err)
		}
		phases = append(phases, ph)
	}
	return phases, nil
}

func (f *profileFlags) applyThink(p *profile.Profile) error {
	if f.think == "" {
		return nil
	}
	if p.Mode == profile.Open {
		return i18n.Errorf("loadcmd.think-in-open-loop", "--think belongs to the closed loop; in an open loop the schedule says when requests start: leave out --think, or --rate and --phase")
	}
	text, exponential := strings.CutPrefix(f.think, "exp:")
	mean, err := time.ParseDuration(text)
	if err != nil {
		return i18n.Errorf("loadcmd.think-form", "--think %q: write it with a unit, as 100ms or exp:100ms", f.think)
	}
	p.Think = profile.Think{Mean: mean, Spread: profile.Fixed}
	if exponential {
		p.Think.Spread = profile.Exponential
	}
	return nil
}
