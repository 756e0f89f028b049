package runner

import (
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Kind is the kind of an event.
type Kind string

// Kinds of events, in the order they come.
const (
	Busy          Kind = "busy"           // other programs use the CPUs of the run: Line names them
	Building      Kind = "building"       // Subject's build begins
	BuildLine     Kind = "build-line"     // Line was printed by it
	Built         Kind = "built"          // Subject is ready to start; Line is "cached" if it was before
	Serving       Kind = "serving"        // Line says what happens to what the subjects stand on
	Checking      Kind = "checking"       // Subject is started once, to verify its responses
	Checked       Kind = "checked"        // Subject responds as it should
	Begun         Kind = "begun"          // the run exists: Run is its ID
	TrialStarted  Kind = "trial-started"  // Trial
	WindowDone    Kind = "window"         // Window of Trial
	TrialFinished Kind = "trial-finished" // Trial; Outcome says how
	Repeating     Kind = "repeating"      // Outcome is invalid; Trial, which repeats it, was added to the plan
	Assessed      Kind = "assessed"       // Progress after a block of a run that goes on; Line is why it ends now, if it does
	Finished      Kind = "finished"       // the run is sealed
)

// Event is what happens in a run, for an observer. Fields that don't belong to the kind
// are zero.
type Event struct {
	Kind      Kind                `json:"event"`
	Time      time.Time           `json:"time"`
	Run       string              `json:"run,omitempty"`
	Subject   string              `json:"subject,omitempty"`
	Line      i18n.Message        `json:"line,omitzero"`
	Trial     *study.PlannedTrial `json:"trial,omitempty"`
	Cell      *study.Cell         `json:"cell,omitempty"`
	Window    *archive.Window     `json:"window,omitempty"`
	Outcome   *archive.Trial      `json:"outcome,omitempty"`
	Progress  *Progress           `json:"progress,omitempty"`
	Done      int                 `json:"done"`                   // trials finished so far
	Total     int                 `json:"total"`                  // trials planned
	Remaining time.Duration       `json:"remaining_ns,omitempty"` // estimate
}
