// Package study reads, checks and expands studies: files that say what varies and which
// figures are wanted, never how to measure.
package study

import (
	"maps"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/subject/link"
	"dyno.example/internal/i18n"
)

// Study is one question, written as a file.
type Study struct {
	Name      string
	Question  string
	Subjects  []Subject
	Services  []Service // what the subjects stand on
	Factors   []Factor
	Design    Design // which combinations of levels are measured
	Twin      bool   // the reference is measured twice in each block; see [Cell.Twin]
	Requests  []request.Request
	Feeds     []request.Feed // what the requests' templates take rows from
	Loads     []Load
	Trial     Timing
	Blocks    int
	Placement Placement
	Reference string   // subject the others are compared with; default the first
	Report    []string // metrics the ranking shows first; see [Metrics]
	Claims    []claim.Claim
	Gate      []threshold.Threshold // what dyno gate takes for a regression; empty for its own
	Accept    []finding.Name        // names of findings that don't lower what a trial is worth; see package finding
	Explain   bool                  // evidence of single requests is collected in its trials
	Keep      []Kept                // what its run keeps in addition to the figures
	Until     Until                 // when a run that goes on block by block ends; zero: after its blocks
	Shorter   Shorter               // what a quick run changes; see [Study.Quick]
	Secrets   Secrets               // in it, that must be neither shown nor archived
	Source    []byte                // the file as written
	Path      string                // where it was read from; "builtin:NAME" for shipped studies
}

// Subject is a program under test, as a study names it: a shipped one by Use,
// the user's own by Run (a command) or URL (already up). Exactly one of the
// three is set.
type Subject struct {
	Name  string // unique in the study
	Use   string // shipped subject it refers to ("go/gin"); empty for the user's own
	Run   string // shell command; $PORT is the port to listen on
	Build string // shell command run once before the first start
	Dir   string // where Build and Run are executed; default the study file's folder
	URL   string // base URL of a service that is already up
	Ready string // path polled until it responds with a status from 200 to 399; empty if the study says none
	Poll  string // path polled then, the first request's, until it responds with a status below 500
	// ReadyWithin is how long Run may take until it is ready; 0 for what others get.
	ReadyWithin time.Duration
	Env         map[string]string // added to dyno's own environment; {{env NAME}} in a value is a variable of that

	// Upstream is the shipped subject that it, a gateway, sends requests on to; empty for
	// none, or for that of the shipped subject's manifest.
	Upstream string

	Limits *Limits // what it may use; nil for all

	// Network is what lies between dyno and it, in a network namespace of its own; nil for
	// loopback.
	Network *link.Link

	TLS      bool   // of Run: it listens with TLS where DYNO_TLS_CERT and DYNO_TLS_KEY name files
	CAFile   string // of https addresses: PEM file of the certificates to trust instead of the system's
	Insecure bool   // of https addresses: any certificate will do

	// Metrics is the subject's metrics endpoint in Prometheus' format: an absolute URL,
	// or a path of its own; empty if it doesn't. See [Subject.MetricsURL].
	Metrics string

	// Pprof is where the subject offers profiles as Go's net/http/pprof does, with
	// "/profile" and "/heap" below it: a URL, or a path of its own; empty if it doesn't.
	// See [Subject.PprofURL].
	Pprof string
}

// MetricsURL returns where the metrics are when the subject is up at base, ""
// if it has none.
func (s Subject) MetricsURL(base string) string {
	if strings.HasPrefix(s.Metrics, "/") {
		return strings.TrimSuffix(base, "/") + s.Metrics
	}
	return s.Metrics
}

// Factor is a thing that is varied, with its levels in the order written, or
// with a range that a sampling design takes levels from.
type Factor struct {
	Name   string   // as in the study: "connections", "env.GOGC"; see [FactorNames]
	Levels []string // numbers in plain decimal, names as written; empty if there is a range
	Range  *Range   // nil if there are levels
	Place  string   // in the file: "study.yaml:12:3"
}

// Load is a named rhythm.
type Load struct {
	Name    string
	Profile profile.Profile
	Timeout time.Duration
	Drain   time.Duration  // see load.Spec
	Link    request.Link   // how it connects
	Pacing  profile.Pacing // how an open loop waits for its schedule
	Whole   bool           // its trials are never cut into slices
}

// Timing is how long one trial takes.
type Timing struct {
	Warmup   time.Duration
	Duration time.Duration // of loads without phases; see [Cell.Timing]
	// WarmupMost bounds the warm-up of a subject that is not steady after Warmup, if its
	// manifest says that it compiles as it runs, or that isn't known, as of the user's own.
	// 0: the warm-up is equally long for all.
	WarmupMost time.Duration
	Slices     Slices // of loads that can be cut into them
}

// Placement says which CPUs generator and subject get.
type Placement struct {
	Mode      string // "split" (default), "shared" or "explicit"
	Generator []int  // explicit only
	Subject   []int  // explicit only
}

// Cell is one combination of levels, with one subject and one load.
type Cell struct {
	Index    int               `json:"index"`
	Subject  string            `json:"subject"`
	Load     string            `json:"load"`
	Levels   map[string]string `json:"levels,omitempty"` // factor name → level as it is shown, without subject and load; see [Secrets]
	Profile  profile.Profile   `json:"profile"`
	Timeout  time.Duration     `json:"timeout"`
	Drain    time.Duration     `json:"drain,omitempty"` // as in load.Spec: 0 is its default, below 0 none
	Link     request.Link      `json:"link,omitzero"`
	Pacing   profile.Pacing    `json:"pacing,omitempty"`
	Requests []request.Request `json:"requests"`
	Feeds    []request.Feed    `json:"feeds,omitempty"`
	Env      map[string]string `json:"env,omitempty"` // on top of the subject's own

	Args       string            `json:"args,omitempty"`        // appended to the subject's command, in the syntax of a shell
	BuildFlags string            `json:"build_flags,omitempty"` // of the build it is started from, in the syntax of a shell
	CPUs       string            `json:"cpus,omitempty"`        // how many of the subject's CPUs ("2"), or which ("0-1,3"); empty for all
	Limits     *Limits           `json:"limits,omitempty"`      // instead of the subject's own; nil leaves them
	Network    *link.Link        `json:"network,omitempty"`     // what lies between dyno and the subject; nil for loopback
	Kernel     map[string]string `json:"kernel,omitempty"`      // settings of the machine, by the name after "kernel."
	BodySize   *int              `json:"body_bytes,omitempty"`  // length of the requests' bodies; see [Cell.Asked]
	TLS        string            `json:"tls,omitempty"`         // "full" or "resumed" handshakes; empty without TLS
	Point      int               `json:"point,omitempty"`       // which combination of levels, from 0, in the order of the design

	// Twin says that this cell is another one measured again: the reference's of
	// its group. What the two differ by is what this machine shows for no
	// difference at all. It is no competitor and has no rank.
	Twin bool `json:"twin,omitempty"`

	// Beside is the cell that this one is measured beside in each block: that one in slices,
	// this one in trials, for what slices can't tell of the same subject under the same load;
	// nil for others. See [SlicesTell].
	Beside *int `json:"beside,omitempty"`
}

// Title names the load and the levels of the cell, which others of its group share:
// "saturate, connections=64"; and of a cell that goes with one in slices, that it is in trials.
func (c *Cell) Title() string {
	title := c.Load
	for _, factor := range slices.Sorted(maps.Keys(c.Levels)) {
		title += ", " + factor + "=" + c.Levels[factor]
	}
	if c.Beside != nil {
		title += ", in trials"
	}
	return title
}

// Timing returns how long the cell's trials take: as long as the phases of its
// load, if it has any, else as the study says.
func (c *Cell) Timing(t Timing) Timing {
	if n := c.Profile.Length(); n > 0 {
		t.Duration = n
	}
	return t
}

// PlannedTrial is one trial to do: a cell within a block.
type PlannedTrial struct {
	Index int    `json:"index"` // order of execution, from 0
	Block int    `json:"block"`
	Cell  int    `json:"cell"`
	Seed  uint64 `json:"seed"` // the same for all cells of a block, so that they can be paired
	// Repeats is the index of the invalid trial that this one repeats, and whose
	// place in the block it takes; nil for a trial of the first plan.
	Repeats *int `json:"repeats,omitempty"`
	// InSlices says that it is done in slices, in turns with the trials next to it in the plan
	// that are of its block and of its Group: see [Slices].
	InSlices bool `json:"in_slices,omitempty"`
	Group    int  `json:"slice_group,omitempty"`
}

// Plan is a study expanded into what will be done, in order. As [Expand] makes
// it, it is a pure function of the study and the seed; a run adds repetitions of
// trials that came out invalid, and blocks until it can end.
type Plan struct {
	Seed     uint64         `json:"seed"`
	Design   *PlannedDesign `json:"design,omitempty"` // nil for the full factorial
	Cells    []Cell         `json:"cells"`
	Trials   []PlannedTrial `json:"trials"`
	Estimate time.Duration  `json:"estimate"` // measuring time, without builds
	Secrets  Secrets        `json:"-"`        // those of the study
	Ahead    Ahead          `json:"-"`        // of a run that goes on block by block
	// Whole says of loads that could be in slices, as the study has them, why none of their cells is.
	Whole map[string]i18n.Message `json:"-"`
}
