// Package archive keeps runs: folders of plain files that hold everything a
// later analysis needs, written so that an interruption loses nothing.
package archive

import (
	"slices"
	"time"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject/link"
	"dyno.example/internal/i18n"
)

// Status of a run or trial.
type Status string

const (
	Running     Status = "running"     // not finished, or its writer died
	Complete    Status = "complete"    // all planned trials were done
	Interrupted Status = "interrupted" // stopped by the user
	Failed      Status = "failed"      // could not go on; Error says why
)

// Message is the status as a word of a sentence.
func (s Status) Message() i18n.Message {
	switch s {
	case Running:
		return i18n.New("status.running", string(Running))
	case Complete:
		return i18n.New("status.complete", string(Complete))
	case Interrupted:
		return i18n.New("status.interrupted", string(Interrupted))
	case Failed:
		return i18n.New("status.failed", string(Failed))
	}
	return i18n.Verbatim(string(s))
}

// Manifest is what a run is: manifest.json in its folder.
type Manifest struct {
	Schema       int            `json:"schema"` // 1
	ID           string         `json:"id"`     // folder name
	Study        string         `json:"study"`
	Question     string         `json:"question"`
	StudySource  string         `json:"study_source"` // the study file as written
	StudyPath    string         `json:"study_path"`
	Quick        bool           `json:"quick"`
	Command      []string       `json:"command"` // that repeats the run
	Dyno         string         `json:"dyno"`    // version
	Started      time.Time      `json:"started"`
	Finished     time.Time      `json:"finished,omitzero"`
	Status       Status         `json:"status"`
	Error        i18n.Message   `json:"error,omitzero"`
	ErrorMessage i18n.Archived  `json:"error_message,omitzero"` // Error in full
	Plan         study.Plan     `json:"plan"`
	Reference    string         `json:"reference"`        // subject the others are compared with
	Report       []string       `json:"report,omitempty"` // metrics the ranking shows, the first one leads; empty leaves it to the report
	Claims       []claim.Claim  `json:"claims,omitempty"` // that the study is to decide
	Accept       []finding.Name `json:"accept,omitempty"` // findings that the study, or the command, accepts by name
	Until        study.Until    `json:"until,omitzero"`   // when a run that went on block by block was to end
	Ended        string         `json:"ended,omitempty"`  // why such a run ended: "decided", "time" or "blocks"
	// Usable is how many archived trials are complete, not invalid and have a second
	// to rest figures on. [Writer.Finish] sets it; runs of earlier versions lack it.
	Usable      *int                 `json:"usable_trials,omitempty"`
	Subjects    []Subject            `json:"subjects"`
	Services    []Service            `json:"services,omitempty"` // what the subjects stand on
	Machine     machine.Fingerprint  `json:"machine"`
	Placement   Placement            `json:"placement"`
	Calibration *measure.Calibration `json:"calibration,omitempty"` // of the generator, before the first trial
	Warmup      time.Duration        `json:"warmup"`
	WarmupMost  time.Duration        `json:"warmup_most,omitempty"` // of subjects that warm up until they are steady; 0: Warmup is for all
	Duration    time.Duration        `json:"duration"`
}

// Placement is which CPUs were really used.
type Placement struct {
	Mode      string `json:"mode"`
	Generator []int  `json:"generator,omitempty"`
	Subject   []int  `json:"subject,omitempty"`
	Upstream  []int  `json:"upstream,omitempty"` // of subjects that have one; none: the generator's
}

// Subject is what was measured, exactly enough to build it again.
type Subject struct {
	Name      string            `json:"name"`
	Language  string            `json:"language,omitempty"`
	Framework string            `json:"framework,omitempty"`
	Version   string            `json:"version,omitempty"`
	Role      string            `json:"role,omitempty"` // production, tuned, engine, own
	Own       bool              `json:"own,omitempty"`  // a product of dyno's own project, which stands for no language
	BuildHash string            `json:"build_hash,omitempty"`
	BuildSize uint64            `json:"build_size,omitempty"` // bytes of what was built, with the packages it brings; 0 if that is not known
	Builds    map[string]string `json:"builds,omitempty"`     // of a factor build.flags: the hash by the flags
	Command   string            `json:"command,omitempty"`
	URL       string            `json:"url,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Limits    *study.Limits     `json:"limits,omitempty"`
	Network   *link.Link        `json:"network,omitempty"`  // what lay between dyno and it; nil for loopback
	Upstream  *Upstream         `json:"upstream,omitempty"` // what it sends requests on to; nil for none
}

// Upstream is what a subject, a gateway, sends requests on to.
type Upstream struct {
	Name      string `json:"name"`
	Framework string `json:"framework,omitempty"`
	Version   string `json:"version,omitempty"`
	BuildHash string `json:"build_hash,omitempty"`
}

// Service is what subjects stand on, such as a database. Its address is not kept: it may
// hold a password.
type Service struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind,omitempty"`    // of those that dyno starts; empty for a command of the user's
	Version  string            `json:"version,omitempty"` // as it says itself
	Up       bool              `json:"up,omitempty"`      // it was up already
	Replica  bool              `json:"replica,omitempty"` // it has one
	Settings map[string]string `json:"settings,omitempty"`
	Reset    string            `json:"reset,omitempty"`    // what is done before each trial; empty for nothing
	StartUp  time.Duration     `json:"start_up,omitempty"` // until it was ready and seeded, ns
}

// Fault says whose fault it is that a trial failed.
type Fault string

// OfSubject is the fault of a subject that did not start, died or sent wrong responses.
// That is a result, which counts as the worst there is.
const OfSubject Fault = "subject"

// Trial is one measured run of one cell: trial.json in its folder.
type Trial struct {
	study.PlannedTrial
	Status       Status        `json:"status"`
	Error        i18n.Message  `json:"error,omitzero"`
	ErrorMessage i18n.Archived `json:"error_message,omitzero"` // Error in full
	Fault        Fault         `json:"fault,omitempty"`        // whose it is that the trial failed, if that is known
	Started      time.Time     `json:"started"`
	Mono         int64         `json:"mono"` // CLOCK_MONOTONIC at the start of the measured time, ns
	Engine       string        `json:"engine"`
	StartUp      time.Duration `json:"start_up"` // from exec to the first right response
	// Executable is the size in bytes of the file that the subject's first process
	// executes: the program, or the interpreter of one; 0 if that isn't known.
	Executable int64 `json:"executable,omitempty"`
	// Size is what its build made, in bytes, with the packages it brings but without
	// compilers and interpreters; 0 if dyno did not build it.
	Size     uint64            `json:"size,omitempty"`
	Idle     *measure.Idle     `json:"idle,omitempty"`    // the subject's use before the load; nil where it wasn't measured
	WarmUp   *WarmUp           `json:"warm_up,omitempty"` // that went on until the subject was steady; nil of one of fixed length
	Validity finding.Validity  `json:"validity"`
	Findings []finding.Finding `json:"findings,omitempty"`
	Failures []measure.Failure `json:"failures,omitempty"` // a few failed requests of each kind
	Causes   []measure.Cause   `json:"causes,omitempty"`   // errors by names finer than their kinds
	// Requests are those of a mix, of a single load; runs don't keep them.
	Requests []measure.RequestResult `json:"-"`
	Speed    *Speed                  `json:"speed,omitempty"` // of the CPUs; nil in runs of versions that did not read it
	// Sliced is set of a trial that was done in slices; Slices are in slices.csv. Its windows
	// are made of them: each of so many as take a second, wherever they were.
	Sliced *Sliced `json:"sliced,omitempty"`
	Slices []Slice `json:"-"`
	// Evidence of single requests is in evidence.jsonl.gz; nil if none was collected, and of a
	// run read from disk: see [Run.Evidence].
	Evidence *Evidence `json:"-"`
	// Kept are files for other tools, such as profiles; their contents are next to trial.json.
	Kept []Kept `json:"kept,omitempty"`
	// Windows are in windows.jsonl and histograms.hlog. Those of a run read from
	// disk come without histograms, of which a run has gigabytes: see
	// [Run.Windows].
	Windows []Window `json:"-"`
}

// Usable reports whether figures can rest on the trial: it is complete, not invalid,
// and has a measured second that is not.
func (t *Trial) Usable() bool {
	return t.Status == Complete && t.Validity != finding.Invalid && slices.ContainsFunc(t.Windows, func(w Window) bool {
		return !w.Client.Warmup() && w.Level != finding.Invalid
	})
}

// Speed is how fast a trial's CPUs were: those that its subject may use, if it is
// one of ours, and the generator's.
type Speed struct {
	Before  []speed.Reading `json:"before,omitempty"`  // the subject was started
	After   []speed.Reading `json:"after,omitempty"`   // it was stopped
	Missing string          `json:"missing,omitempty"` // why some are not there
}

// Window is one second seen from both ends.
type Window struct {
	Client measure.Window    `json:"client"` // its histograms are in histograms.hlog
	Server probe.Window      `json:"server"`
	Level  finding.Validity  `json:"validity"`
	Why    []finding.Finding `json:"findings,omitempty"`
}

// Counts reports whether figures rest on the window, and on the arrivals that were due
// in it.
func (w *Window) Counts() bool { return !w.Client.Warmup() && w.Level != finding.Invalid }

// Run is an archived run, read back.
type Run struct {
	Dir      string  // its folder; empty if the run is only in memory
	Address  Address // of its content; empty if the run is only in memory or has not ended
	Manifest Manifest
	Trials   []Trial // in order of execution; only those that were started
}
