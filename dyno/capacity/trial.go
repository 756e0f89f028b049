package capacity

import (
	"context"
	"math"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// Decision is what a trial says about the service at its rate.
type Decision string

// The decisions. Fails includes trials of which it can't be shown that the
// objective holds although the generator did its part, as when requests were
// given up. Spoiled is a trial that the generator or the machine disturbed so
// that the service can't be blamed.
const (
	Holds   Decision = "holds"
	Fails   Decision = "fails"
	Spoiled Decision = "spoiled"
)

// Ask is a trial that is to be run.
type Ask struct {
	Rate   float64 // requests per second
	Length time.Duration
	Number int // of the trial, from 0; trials with the same number have the same schedule
}

// Trial is what came of one.
type Trial struct {
	Length     time.Duration           `json:"length_ns"` // as asked for
	Decision   Decision                `json:"verdict"`
	Limited    bool                    `json:"limited,omitempty"` // spoiled because the generator was at its limit, not by chance
	Useless    bool                    `json:"useless,omitempty"` // spoiled so that none of its windows can be used, whatever the rate
	Short      bool                    `json:"short,omitempty"`   // spoiled because it was too short for its rate
	Why        i18n.Message            `json:"why,omitzero"`      // why it is spoiled, or why it fails without a term that does
	Measured   i18n.Message            `json:"measured"`          // the objective's terms with what was measured
	Terms      []Term                  `json:"terms"`
	Throughput float64                 `json:"throughput"` // responses per second
	P50        Figure                  `json:"p50_ns"`     // response time; a lower bound if AtLeast says so
	P99        Figure                  `json:"p99_ns"`
	AtLeast    bool                    `json:"p99_at_least,omitempty"`
	InFlight   float64                 `json:"in_flight"`            // on average
	Busy       bool                    `json:"all_busy,omitempty"`   // all connections were waiting for responses
	Errors     measure.Errors          `json:"errors"`               // by kind
	First      map[string]i18n.Message `json:"examples,omitzero"`    // an example for each kind of error
	GivenUp    uint64                  `json:"given_up,omitempty"`   // shed, timed out or unfinished
	Shed       uint64                  `json:"shed,omitempty"`       // of them, arrivals that found no place to wait
	Validity   finding.Validity        `json:"validity"`             // of the measurement, or "accepted"
	Findings   []finding.Name          `json:"findings,omitempty"`   // their names
	Disturbed  []finding.Finding       `json:"disturbed,omitempty"`  // those that say that the generator or the machine was disturbed
	Accepted   []finding.Finding       `json:"accepted,omitempty"`   // such findings that were accepted by their names
	Requests   uint64                  `json:"requests"`             // with a response as expected
	Unsteady   i18n.Message            `json:"unsteady,omitzero"`    // how the service changed within the trial
	Offered    float64                 `json:"offered_per_second"`   // that the schedule really had, by chance
	Settled    time.Duration           `json:"settled_ns,omitempty"` // time the service then took to calm down
}

// Term is one condition of the objective in a trial.
type Term struct {
	Condition string       `json:"condition"` // as written
	Decision  string       `json:"verdict"`   // "holds", "fails" or "unknown"
	Measured  i18n.Message `json:"measured"`  // metric and value
}

// Ceiling is what a closed loop reached before the search, which begins near it.
type Ceiling struct {
	Rate float64 // requests per second; 0 if there was no response, or no window can be used
	// Seen is the rate of responses in windows that can't be used: where to
	// begin, if there are no others.
	Seen float64
	Why  i18n.Message // if that is 0: the first error
	// Disturbed are the findings that say that the machine disturbed the loop.
	Disturbed []finding.Finding
	Accepted  []finding.Finding // those that were accepted by their names
	Useless   bool              // it did so all the time
}

// Service runs trials for a search.
type Service interface {
	// Ceiling runs a short closed loop.
	Ceiling(ctx context.Context) (Ceiling, error)
	// Trial runs an open loop at a rate and judges it.
	Trial(ctx context.Context, ask Ask) (Trial, error)
	// Settle waits, for a limited time, until a service that was overloaded responds as
	// quickly as before, and returns how long that took.
	Settle(ctx context.Context) (time.Duration, error)
}

// round keeps four digits of a rate: rates are tried, quoted and typed again.
func round(rate float64) float64 {
	if rate <= 0 {
		return rate
	}
	unit := math.Pow(10, math.Floor(math.Log10(rate))-3)
	return math.Round(rate/unit) * unit
}
