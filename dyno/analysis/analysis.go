// Package analysis folds an archived run into the figures a report shows. It is
// a pure function of the run: the same run gives the same bytes.
package analysis

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
	"encoding/json"
)

// Metric is a figure computed for each trial.
type Metric struct {
	Name   string `json:"name"`   // "throughput", "response.p99", "cpu", …
	Unit   string `json:"unit"`   // "req/s", "µs", "µs/req", "bytes", "%"
	Better string `json:"better"` // "higher" or "lower"
}

// Analysis is everything the report draws.
type Analysis struct {
	Schema   int              `json:"schema"`
	Run      archive.Manifest `json:"run"`
	Address  archive.Address  `json:"address,omitempty"` // of the run's content; empty if it has not ended
	Validity finding.Validity `json:"validity"`
	Findings []Finding        `json:"findings"`         // of the run, worst first
	Groups   []Group          `json:"groups"`           // one per combination of load and levels
	Subjects []string         `json:"subjects"`         // order for colours: as in the study
	Claims   []claim.Outcome  `json:"claims,omitempty"` // in the study's order
	Failures []Failure        `json:"failures,omitempty"`

	// Explained says for each cell why its slow requests were slow, in the order of the groups.
	Explained []explain.Explanation `json:"explained,omitempty"`

	Sensitivity []Sensitivity `json:"sensitivity,omitempty"` // of a Sobol design: one per subject, load and metric
}

// Finding is a finding with the place it was found at.
type Finding struct {
	finding.Finding
	Trials []int // indices of the trials concerned
}

// MarshalJSON implements [json.Marshaler].
func (f Finding) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		finding.JSON
		Trials []int `json:"trials,omitempty"`
	}{f.JSON(), f.Trials})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Finding) UnmarshalJSON(data []byte) error {
	var j struct {
		finding.JSON
		Trials []int `json:"trials"`
	}
	err := json.Unmarshal(data, &j)
	f.Finding, f.Trials = j.Finding(), j.Trials
	return err
}

// Group holds the cells that may be compared: same load, same levels,
// different subjects.
type Group struct {
	Title   string             `json:"title"` // "saturate, connections=64"
	Load    string             `json:"load"`
	Levels  map[string]string  `json:"levels,omitempty"`
	Metrics []Metric           `json:"metrics"`
	Cells   []Cell             `json:"cells"`
	Ranking map[string][]Place `json:"ranking"` // metric → places, best first
	// Leads holds, by metric, the first place against each of the others, in the
	// ranking's order.
	Leads map[string][]Versus `json:"leads,omitempty"`

	// Twin is the A/A comparison: the ratio of the reference measured a second
	// time to the reference, by metric. It says what this machine makes of no
	// difference at all. See [Group.Noise].
	Twin     map[string]stats.Interval `json:"twin,omitempty"`
	TwinFrom string                    `json:"twin_from,omitempty"` // title of the group it was measured in, if not this one
	TwinCell *Cell                     `json:"twin_cell,omitempty"` // the second arm, which is not among Cells
	Slices   *Slices                   `json:"slices,omitempty"`    // how the subjects took turns; nil if they didn't
	// Beside is the title of the group that has the other figures of the same load: one of the
	// two was measured in slices, the other in trials. Empty if there is one only.
	Beside string `json:"beside,omitempty"`
}

// Cell is one subject's results within a group.
type Cell struct {
	Cell      int                       `json:"cell"` // index in the plan
	Subject   string                    `json:"subject"`
	Trials    []int                     `json:"trials"`           // valid or suspect trials used
	Sliced    []int                     `json:"sliced,omitempty"` // those of Trials that were measured in slices by turns
	Left      []int                     `json:"left,omitempty"`   // trials left out: invalid, or failed by no fault of the subject
	Failed    []int                     `json:"failed,omitempty"` // trials in which the subject failed by its own fault; they count as the worst there is, and are not among Trials
	Windows   int                       `json:"windows"`          // measured windows of the used trials that figures rest on
	Invalid   int                       `json:"invalid_windows"`  // measured windows of the used trials that are invalid and left out
	Values    map[string][]float64      `json:"values"`           // metric → one value per used trial
	Estimates map[string]stats.Interval `json:"estimates"`        // metric → median over trials with interval
	Merged    map[string]stats.Interval `json:"merged,omitempty"` // "response.p50" to "response.p99.9" → quantile of all used windows together, with its interval over the trials
	Ratios    map[string]stats.Interval `json:"ratios,omitempty"` // metric → paired ratio to the reference subject
	// Turns is the ratio of CPU time per request to the reference's by the slices that they
	// had in turns, and what its uncertainty is made of; nil if they hadn't.
	Turns *stats.Sliced `json:"turns,omitempty"`
	// Following is how its CPU time follows the machine's state, of a subject that took turns with the reference and a third
	// one; nil otherwise, or if the machine has no state to be seen.
	Following *Following `json:"following,omitempty"`
	// ByRank are the same ratios by ranks, which are about the usual start; a check
	// of a single look, next to Ratios, also in a run with several.
	ByRank  map[string]stats.Interval `json:"ratios_by_rank,omitempty"`
	Omitted map[string]i18n.Message   `json:"omitted,omitzero"` // metric → why there is no figure
	// Wrong is the share of requests, in percent, whose response was not what it had
	// to be, if that is much: the subject has no rank. FailsMore says that it failed more
	// of its requests than another one of the group, by more than chance.
	Wrong     float64   `json:"wrong,omitempty"`
	FailsMore bool      `json:"fails_more,omitempty"`
	Curve     []Point   `json:"curve"`              // response by percentile, all used windows merged
	Service   []Point   `json:"service"`            // service by percentile
	Stages    []Stage   `json:"stages,omitempty"`   // of a load with several
	Services  []Service `json:"services,omitempty"` // what it stood on
	Seconds   []Second  `json:"seconds"`            // every window of every trial, in order
	// Statuses counts the complete responses by status, of all trials, in windows that
	// are not invalid; Requests are those of a single load with a mix.
	Statuses map[int]uint64 `json:"statuses,omitempty"`
	// Codes counts the complete calls over gRPC by the name of their status, as Statuses.
	Codes    map[string]uint64 `json:"grpc_codes,omitempty"`
	Requests []Request         `json:"requests,omitempty"`
	// Unusable has the medians over the trials left out, with their range, if
	// there are no others. No figure, rank or verdict rests on them.
	Unusable map[string]stats.Interval `json:"unusable,omitempty"`
}

// Point is one point of a latency curve.
type Point struct {
	Percentile float64 `json:"p"`  // 0 to 100
	Micros     float64 `json:"us"` // µs
	Censored   bool    `json:"censored,omitempty"`
}

// Second is one window, reduced to what the heat map and time charts show. Pointers are
// nil where the machine or subject doesn't report it.
type Second struct {
	Trial      int              `json:"trial"`
	Block      int              `json:"block"`
	Index      int              `json:"index"` // second within the trial; negative while warming up
	Validity   finding.Validity `json:"validity"`
	Why        []string         `json:"why,omitempty"` // names of findings
	Throughput float64          `json:"rps"`
	Errors     uint64           `json:"errors"`
	P50        float64          `json:"p50,omitzero"` // response, µs; 0 if there was none
	P99        float64          `json:"p99,omitzero"`
	Max        float64          `json:"max,omitzero"`
	LagP99     float64          `json:"lag_p99"`
	Generator  float64          `json:"generator_cpu"` // CPUs used by the generator
	CPU        *float64         `json:"cpu,omitempty"` // CPUs used by the subject
	Services   []ServiceSecond  `json:"services,omitempty"`
	RSS        *float64         `json:"rss,omitempty"` // bytes
	PSS        *float64         `json:"pss,omitempty"` // bytes; nil in most seconds, as it is read rarely
	Threads    *float64         `json:"threads,omitempty"`
	OpenFiles  *float64         `json:"open_files,omitempty"`
	RunQueue   *float64         `json:"run_queue,omitempty"` // seconds runnable per second
	Throttled  *float64         `json:"throttled,omitempty"` // seconds held back by its quota, per second
	// What waited in its sockets at the second's end.
	Unread      *float64 `json:"unread,omitempty"`         // bytes
	Unsent      *float64 `json:"unacknowledged,omitempty"` // bytes
	AcceptQueue *float64 `json:"accept_queue,omitempty"`   // connections
	Switches    *float64 `json:"switches,omitempty"`       // context switches, both kinds
	Steal       *float64 `json:"steal,omitempty"`          // share of one CPU
	GCPause     *float64 `json:"gc_pause,omitempty"`       // µs in the window
	GCCycles    *float64 `json:"gc_cycles,omitempty"`
	Heap        *float64 `json:"heap,omitempty"` // bytes
	Goroutines  *float64 `json:"goroutines,omitempty"`
	SchedP99    *float64 `json:"sched_p99,omitempty"` // µs
}
