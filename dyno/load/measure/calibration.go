package measure

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// Calibration is what the generator can do on this machine, measured shortly
// before a load against a server that costs next to nothing. Package calibrate
// makes it. Durations are nanoseconds in JSON.
type Calibration struct {
	Engine      string `json:"engine"`
	Threads     int    `json:"threads"`
	Connections int    `json:"connections"` // of the closed loop that found the ceiling
	// Protocol is what was spoken, by its ALPN name, without TLS, or "grpc"; "" in
	// archives of when there was only HTTP/1.1. Streams is how many requests each connection had
	// under way, over HTTP/2.
	Protocol string `json:"protocol,omitempty"`
	Streams  int    `json:"streams,omitempty"`

	// Ceiling is the throughput of a closed loop, in requests a second, with the null
	// server on the same machine: what generator, kernel and a server that costs
	// nothing can do together. CPUPerRequest is the generator's share.
	Ceiling       float64       `json:"ceiling"`
	CPUPerRequest time.Duration `json:"cpu_per_request_ns"`

	// Floor is the service time of one connection with nothing else going on: no
	// response time that is measured here can be shorter.
	Floor Times `json:"floor_ns"`
	// Timer is how late the generator is awake when it waits for an arrival.
	Timer Times `json:"timer_ns"`
	// Lag is how late requests were sent in an open loop at LagRate, the planned
	// rate or 80 % of the ceiling if that is less; 0 for a closed loop.
	LagRate float64 `json:"lag_rate,omitempty"` // requests per second
	Lag     Times   `json:"lag_ns,omitzero"`
	// Hiccups is what the machine took from a thread that did nothing but read the
	// clock.
	Hiccups Hiccups `json:"hiccups"`

	Took time.Duration `json:"took_ns"` // the calibration itself
}

// Times is the distribution of a duration in a few figures.
type Times struct {
	Min time.Duration `json:"min"`
	P50 time.Duration `json:"p50"`
	P99 time.Duration `json:"p99"`
	Max time.Duration `json:"max"`
}

// Hiccups are the times in which a spinning thread did not run.
type Hiccups struct {
	Over    time.Duration `json:"over_ns"`    // how long it was watched
	Longest time.Duration `json:"longest_ns"` // absence
	Taken   float64       `json:"taken"`      // share of the time that absences of 10 µs and more add up to
}

// Thresholds of the findings below; dyno/docs/findings.md explains them.
const (
	ceilingShare = 0.9 // of the ceiling, that may be planned
)

// Judge says before the load what speaks against the profile on this machine.
func (c *Calibration) Judge(p *profile.Profile) []finding.Finding {
	var found []finding.Finding
	add := func(name finding.Name, detail i18n.Message) {
		found = append(found, finding.Finding{Name: name, Validity: finding.Suspect, Detail: detail})
	}
	if c.Beyond(p) {
		add(finding.BeyondCeiling, i18n.New("measure.planned-beyond-generator", "%.0f requests/s are planned, but this generator reached %.0f against a server that costs nothing (limit %.0f %%): what is measured may be the generator", p.TopRate(), c.Ceiling, 100*ceilingShare))
	}
	if p.Mode == profile.Open && c.LagRate > 0 && c.Lag.P99 > LateAfter {
		add(finding.LagFloor, i18n.New("measure.machine-sends-late", "at %.0f requests/s to a server that costs nothing, one request in a hundred was sent %v late or more (limit %v): this machine can't keep such a schedule", c.LagRate, c.Lag.P99.Round(10*time.Microsecond), LateAfter))
	}
	return found
}

// Beyond reports whether more is planned than the generator can do.
func (c *Calibration) Beyond(p *profile.Profile) bool {
	return p.Mode == profile.Open && c.Ceiling > 0 && p.TopRate() > ceilingShare*c.Ceiling
}
