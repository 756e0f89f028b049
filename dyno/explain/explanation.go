package explain

import (
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Source is what an explanation rests on.
type Source string

// The sources, from the strongest.
const (
	Requests Source = "requests" // closed budgets of single requests
	Seconds  Source = "seconds"  // what was recorded each second: weaker
	Nothing  Source = "nothing"  // too little for either
)

// Explanation is why the slow requests of one subject under one load were slow.
type Explanation struct {
	Subject string            `json:"subject"`
	Load    string            `json:"load,omitempty"`
	Levels  map[string]string `json:"levels,omitempty"`

	Source       Source               `json:"source"`
	Tail         Tail                 `json:"tail"`
	Causes       []Cause              `json:"causes"`                  // by share, the largest first; empty: no cause found
	Budget       []Part               `json:"budget"`                  // of requests only
	ServerTiming []ServerTiming       `json:"server_timing,omitempty"` // parts that the service told of, the largest difference first
	Unexplained  float64              `json:"unexplained"`
	Sampled      Sampled              `json:"sampled"`
	ProbeCost    *evidence.Cost       `json:"probe_cost"`      // nil if not measured
	Notes        []i18n.Message       `json:"notes,omitempty"` // what lowers the confidence, or can't be known here
	Gaps         map[evidence.Gap]int `json:"gaps,omitempty"`  // kind of missing evidence → records
	// Profiles are files within the run's folder that say in which functions its slow requests ran
	// and waited.
	Profiles []string `json:"profiles,omitempty"`
	Beside   []Strip  `json:"beside,omitempty"` // what went on in the trial that has most of Slowest
	Slowest  []Slow   `json:"slowest,omitzero"` // for the picture, the slowest first
}

// Group is the load with its levels: "saturate, connections=64".
func (e *Explanation) Group() string {
	parts := []string{e.Load}
	for _, factor := range slices.Sorted(maps.Keys(e.Levels)) {
		parts = append(parts, factor+"="+e.Levels[factor])
	}
	return strings.Join(parts, ", ")
}

// Tail says what was slow.
type Tail struct {
	Percentile float64 `json:"percentile"` // requests beyond it are the tail
	Threshold  float64 `json:"threshold"`  // ns
	Ordinary   float64 `json:"ordinary"`   // ns, the median
	Excess     float64 `json:"excess"`     // ns: what slow requests took more than ordinary ones, on average
}

// Cause is what accounts for a part of the tail.
type Cause struct {
	Name     Name           `json:"name"`
	Share    float64        `json:"share"`    // of the excess, 0 to 1
	Interval stats.Interval `json:"interval"` // of the share
	// Lift is how many times as often it made up a large part of a slow request as of a
	// matched ordinary one; by seconds, how many times as much of it there was in the slow
	// quarter of the seconds as in the others. LiftInterval is its interval where there is one.
	Lift         float64         `json:"lift"`
	LiftInterval *stats.Interval `json:"lift_interval,omitempty"`
	Requests     int             `json:"requests"`            // slow requests, or seconds, of which it made up a large part
	Evidence     []i18n.Message  `json:"evidence"`            // what to look at
	Confounded   []Name          `json:"confounded,omitzero"` // what can't be told apart from it
}

// Part is a stage of the budget, in ns: the mean of ordinary and slow requests.
type Part struct {
	Stage    evidence.Stage `json:"stage"`
	Ordinary float64        `json:"ordinary"`
	Slow     float64        `json:"slow"`
}

// Sampled says how much there was to look at.
type Sampled struct {
	Requests int    `json:"requests,omitempty"` // completed
	Slow     int    `json:"slow"`               // records of slow requests
	Ordinary int    `json:"ordinary"`           // records of ordinary ones
	Seconds  int    `json:"seconds"`            // that count
	Units    string `json:"units,omitempty"`    // what intervals are over: [Restarts] or [Stretches]
	Groups   int    `json:"groups,omitempty"`   // how many of them
	// Share is the part of the time in which requests had to be due to be looked at; 0 without any.
	Share float64 `json:"share,omitempty"`
}

// Slow is a slow request as it is drawn.
type Slow struct {
	Trial     int                 `json:"trial"`
	Window    int                 `json:"second"`
	At        float64             `json:"at"` // s since the measured time began
	Took      float64             `json:"took"`
	Kind      int                 `json:"kind"`
	Sequence  uint32              `json:"sequence"`
	Of        string              `json:"connection"`
	Intervals []evidence.Interval `json:"intervals"`
}

// Strip is how much of something there was in each second of a trial, in a unit of its own.
type Strip struct {
	Name   Name      `json:"name"`
	Trial  int       `json:"trial"`
	From   int       `json:"from"` // the first second
	Values []float64 `json:"values"`
}
