package profile

import (
	"cmp"
	"math"
	"time"

	"dyno.example/internal/i18n"
)

// Mode says what decides when the next request starts.
type Mode string

const (
	// Closed keeps a fixed number of connections; each sends its next request
	// when the response to the last one is in (as wrk does), or a think time later.
	Closed Mode = "closed"
	// Open starts requests on a schedule, whatever the server does (as wrk2
	// does). Response times count from the scheduled ("intended") start.
	Open Mode = "open"
)

// Arrivals says how the starts of an open loop are spread in time.
type Arrivals string

const (
	// Uniform spaces arrivals evenly: at 1/rate while the rate stands still, and
	// as evenly as can be while it changes.
	Uniform Arrivals = "uniform"
	// Poisson draws exponential gaps with mean 1/rate, as independent users do.
	Poisson Arrivals = "poisson"
)

// Overflow says what becomes of an arrival that finds no idle connection.
type Overflow string

const (
	// Wait keeps it in the backlog until a connection is free; it waits in its
	// response time.
	Wait Overflow = "wait"
	// OpenMore opens a further connection for it, as browsers' users do, up to
	// [Profile.MaxConnections]; above that it waits.
	OpenMore Overflow = "open"
	// ShedArrival gives it up at once and counts it as shed.
	ShedArrival Overflow = "shed"
)

// Limits of a profile.
const (
	MaxRate   = 1e7                 // requests per second
	MaxPhases = 1000                // in one load
	MaxLength = 30 * 24 * time.Hour // of all phases together
	MaxThink  = time.Hour

	MaxConnections = 1_000_000 // at a time
)

// Profile is the rhythm of a load. The zero value is not usable; see
// [Profile.Check] for the rules.
//
// An open loop has either a Rate, which is held as long as the load lasts, or
// Phases, which are gone through once and are as long as the measured time.
type Profile struct {
	Mode        Mode     `json:"mode"`
	Connections int      `json:"connections"`        // simultaneous connections, at least 1
	Rate        float64  `json:"rate,omitempty"`     // requests per second; open loop only, the short form of one constant phase
	Arrivals    Arrivals `json:"arrivals,omitempty"` // open loop only; default Poisson
	Phases      []Phase  `json:"phases,omitempty"`   // open loop only, instead of Rate
	// Think is the pause between a response and the next request on its
	// connection; closed loop only.
	Think Think `json:"think,omitzero"`
	// Overflow is for arrivals that find no idle connection; open loop only,
	// default Wait.
	Overflow Overflow `json:"overflow,omitempty"`
	// MaxConnections bounds the connections of OpenMore, those there from the
	// start included; 0 means ten times as many, at least 10,000.
	MaxConnections int `json:"max_connections,omitempty"`
}

// Check reports what is wrong with the profile, or nil.
func (p *Profile) Check() error {
	if p.Connections < 1 || p.Connections > MaxConnections {
		return i18n.Errorf("profile.bad-connections", "connections must be from 1 to %d, not %d", MaxConnections, p.Connections)
	}
	switch p.Mode {
	case Closed:
		return p.checkClosed()
	case Open:
		return p.checkOpen()
	}
	return i18n.Errorf("profile.unknown-mode", "mode %q is neither %q nor %q", p.Mode, Closed, Open)
}

func (p *Profile) checkClosed() error {
	switch {
	case p.Rate != 0:
		return i18n.Errorf("profile.closed-with-rate", "a closed loop has no rate: it sends when responses come")
	case len(p.Phases) > 0:
		return i18n.Errorf("profile.closed-with-phases", "a closed loop has no phases: it sends when responses come")
	case p.Overflow != "" || p.MaxConnections != 0:
		return i18n.Errorf("profile.overflow-in-closed-loop", "overflow belongs to the open loop: in a closed loop no request waits for a connection")
	}
	return p.Think.Check()
}

func (p *Profile) checkOpen() error {
	if p.Think != (Think{}) {
		return i18n.Errorf("profile.think-in-open-loop", "think time belongs to the closed loop: in an open loop the schedule says when requests start")
	}
	if err := p.Arrivals.check(); err != nil {
		return err
	}
	if err := p.checkOverflow(); err != nil {
		return err
	}
	if len(p.Phases) > 0 {
		return p.checkPhases()
	}
	if !(p.Rate > 0) || p.Rate > MaxRate {
		return i18n.Errorf("profile.bad-rate", "rate must be above 0 and at most 10 million requests/s, not %v", p.Rate)
	}
	return nil
}

func (a Arrivals) check() error {
	if a != "" && a != Uniform && a != Poisson {
		return i18n.Errorf("profile.unknown-arrivals", "arrivals %q are neither %q nor %q", a, Uniform, Poisson)
	}
	return nil
}

func (p *Profile) checkOverflow() error {
	switch p.Overflow {
	case "", Wait, ShedArrival:
		if p.MaxConnections != 0 {
			return i18n.Errorf("profile.max-connections-needs-overflow", "a limit of %d connections needs the overflow %q: otherwise there are always %d", p.MaxConnections, OpenMore, p.Connections)
		}
	case OpenMore:
		if m := p.MaxConnections; m != 0 && (m < p.Connections || m > MaxConnections) {
			return i18n.Errorf("profile.bad-max-connections", "the limit of connections must be from %d, which are there from the start, to %d, not %d", p.Connections, MaxConnections, m)
		}
	default:
		return i18n.Errorf("profile.unknown-overflow", "overflow %q is neither %q, %q nor %q", p.Overflow, Wait, OpenMore, ShedArrival)
	}
	return nil
}

func (p *Profile) checkPhases() error {
	if p.Rate != 0 {
		return i18n.Errorf("profile.rate-and-phases", "either a rate or phases, not both: a constant phase has the rate in it")
	}
	if len(p.Phases) > MaxPhases {
		return i18n.Errorf("profile.too-many-phases", "%d phases are more than the %d that are allowed", len(p.Phases), MaxPhases)
	}
	length := time.Duration(0)
	for i := range p.Phases {
		if err := p.Phases[i].Check(); err != nil {
			return i18n.Errorf("profile.phase", "phase %d: %w", i+1, err)
		}
		if length += p.Phases[i].Duration; length > MaxLength {
			return i18n.Errorf("profile.phases-too-long", "phases %d to %d take longer than the %v that are allowed", 1, i+1, MaxLength)
		}
	}
	if p.Timetable(0).Planned(0, length) == 0 {
		return i18n.Errorf("profile.phases-without-requests", "the phases plan no request at all")
	}
	return nil
}

// Rhythm says in a few words what an open loop sends: its rate, or its phases as
// [ParsePhase] reads them.
func (p *Profile) Rhythm() i18n.Message {
	if len(p.Phases) == 0 {
		return i18n.New("profile.rate", "%s requests/s", plain(p.Rate))
	}
	const shown = 4
	var texts []i18n.Message
	for i := range p.Phases[:min(len(p.Phases), shown)] {
		texts = append(texts, i18n.Verbatim(p.Phases[i].String()))
	}
	if more := len(p.Phases) - shown; more > 0 {
		texts = append(texts, i18n.New("profile.more-phases", "%d more phases", more))
	}
	return i18n.List("; ", texts...)
}

// Length is how long the phases take; 0 if the profile has none, and lasts as
// long as the load does.
func (p *Profile) Length() time.Duration {
	length := time.Duration(0)
	for i := range p.Phases {
		length += p.Phases[i].Duration
	}
	return length
}

// Soaks reports whether a phase is a soak.
func (p *Profile) Soaks() bool {
	for i := range p.Phases {
		if p.Phases[i].Shape == Soak {
			return true
		}
	}
	return false
}

// TopRate is the highest rate planned at any time, in requests per second: that
// of its busiest second for a trace, and 0 for a closed loop.
func (p *Profile) TopRate() float64 {
	top := p.Rate
	for i := range p.Phases {
		top = max(top, p.Phases[i].top())
	}
	return top
}

// arrivalsOf returns how the arrivals of a phase are spread.
func (p *Profile) arrivalsOf(ph *Phase) Arrivals {
	return cmp.Or(ph.Arrivals, p.Arrivals, Poisson)
}

// MostConnections is how many connections there can be at a time.
func (p *Profile) MostConnections() int {
	if p.Overflow != OpenMore {
		return p.Connections
	}
	return cmp.Or(p.MaxConnections, min(max(10*p.Connections, 10_000), MaxConnections))
}

// isRate reports whether x can be a rate within a phase, where 0 is a pause.
func isRate(x float64) bool { return x >= 0 && x <= MaxRate && !math.IsNaN(x) }
