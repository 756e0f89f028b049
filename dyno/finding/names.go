// Package finding holds what may speak against a window, a trial or a run: findings,
// their names and what they are worth. dyno/docs/findings.md explains each name,
// dyno/report/lang has a text for each.
//
// A study accepts findings by these names and in no other way: there is no
// switch that accepts whatever may come.
package finding

import (
	"fmt"
	"slices"
	"strings"

	"dyno.example/internal/spelling"
)

// Name is what a finding is called in files, flags and docs.
type Name string

// Findings that are judgements: somebody who knows why may judge otherwise, and
// accept them.
const (
	// what the generator says about itself
	GeneratorStalled Name = "generator-stalled"
	GeneratorFull    Name = "generator-full"
	GeneratorLate    Name = "generator-late"
	RateMissed       Name = "rate-missed"
	ArrivalsOff      Name = "arrivals-off"
	GeneratorGC      Name = "generator-gc"
	Steal            Name = "steal"
	Suspended        Name = "suspended"
	ClockStep        Name = "clock-step"
	Shed             Name = "shed"
	StreamLimit      Name = "stream-limit"

	// what the calibration says
	NotCalibrated Name = "not-calibrated"
	BeyondCeiling Name = "beyond-ceiling"
	LagFloor      Name = "lag-floor"
	AtFloor       Name = "at-floor"

	// what the responses say
	Errors         Name = "errors"
	WrongResponses Name = "wrong-answers"
	Redirected     Name = "redirected"
	Unfinished     Name = "unfinished"
	Little         Name = "little"
	CountsApart    Name = "counts-apart"
	MissedEvents   Name = "missed-events" // by their ids
	StampsAhead    Name = "stamps-ahead"  // events were stamped later than they came

	// what the server's side says
	OtherLoad        Name = "other-load"
	Throttled        Name = "throttled"
	LimitNotEnforced Name = "limit-not-enforced"
	ListenDrops      Name = "listen-drops"
	Retransmits      Name = "retransmits"
	Swapping         Name = "swapping"
	Frequency        Name = "frequency"
	IdleCPU          Name = "idle-cpu"      // the subject was busy before the load
	ProcessEnded     Name = "process-ended" // one of the subject's, which may have been replaced

	// what the others of a block say that take turns with it
	BusyBeside    Name = "busy-beside"    // a subject worked while another one had the load
	MeasuredAlone Name = "measured-alone" // it could not take turns with the others

	// what the trial's CPUs say, compared with those of other trials
	CPUSpeed Name = "cpu-speed"

	// what the windows of a trial say together
	SubjectNotTheBottleneck Name = "subject-not-the-bottleneck"
	StillWarmingUp          Name = "still-warming-up"
	Drifting                Name = "drifting"
	Leak                    Name = "leak"
	NeverSteady             Name = "never-steady"

	// what the trials of a cell say together
	RestartPlateau Name = "restart-plateau" // the trials of a cell fall on two levels
	RestartOutlier Name = "restart-outlier" // one trial of a cell lies apart from the others

	// what the comparisons of a run say
	RatiosPart     Name = "ratios-part"     // two methods give a ratio differently
	TwinDiffers    Name = "twin-differs"    // the reference differs from itself
	StateDependent Name = "state-dependent" // a ratio is another in another state of the machine
	Unsettled      Name = "unsettled"       // slices begin before a subject is as it goes on
	LostUnevenly   Name = "lost-unevenly"   // one arm lost more trials than the others
)

// Findings that are no judgement: there is nothing to use, whoever accepts them.
const (
	Unreachable      Name = "unreachable"
	NoValidWindow    Name = "no-valid-window"
	TrialFailed      Name = "trial-failed"      // the subject or the load could not go on
	SubjectFailed    Name = "subject-failed"    // the subject did not start, died, or did not respond as it must
	TrialInterrupted Name = "trial-interrupted" // stopped before its time
	NoUsableWindow   Name = "no-usable-window"  // all measured windows are invalid, or there are none
	RunIncomplete    Name = "run-incomplete"    // fewer trials than planned
	RepeatsExhausted Name = "repeats-exhausted" // an invalid trial was not repeated, as too many were already
)

// acceptable and facts list the constants above, in their order.
var (
	acceptable = []Name{
		GeneratorStalled, GeneratorFull, GeneratorLate, RateMissed, ArrivalsOff, GeneratorGC, Steal, Suspended, ClockStep, Shed, StreamLimit,
		NotCalibrated, BeyondCeiling, LagFloor, AtFloor,
		Errors, WrongResponses, Redirected, Unfinished, Little, CountsApart, MissedEvents, StampsAhead,
		OtherLoad, Throttled, LimitNotEnforced, ListenDrops, Retransmits, Swapping, Frequency, IdleCPU, ProcessEnded,
		BusyBeside, MeasuredAlone,
		CPUSpeed,
		SubjectNotTheBottleneck, StillWarmingUp, Drifting, Leak, NeverSteady,
		RestartPlateau, RestartOutlier,
		RatiosPart, TwinDiffers, StateDependent, Unsettled, LostUnevenly,
	}
	facts = []Name{Unreachable, NoValidWindow, TrialFailed, SubjectFailed, TrialInterrupted, NoUsableWindow, RunIncomplete, RepeatsExhausted}
)

// Names returns the names of all findings.
func Names() []Name { return slices.Concat(acceptable, facts) }

// Acceptable returns the names that a study may accept.
func Acceptable() []Name { return slices.Clone(acceptable) }

// ParseAccepted returns words as names of findings to accept. The error is of the
// first that can't be accepted, with the name that was probably meant.
func ParseAccepted(words []string) ([]Name, error) {
	var names []Name
	for _, word := range words {
		name := Name(word)
		switch {
		case slices.Contains(acceptable, name):
			names = append(names, name)
		case slices.Contains(facts, name):
			return nil, fmt.Errorf("%s can't be accepted: there is nothing to use then", name)
		default:
			if near, ok := spelling.Nearest(word, Words(acceptable)); ok {
				return nil, fmt.Errorf("no finding is named %q; did you mean %q?", name, near)
			}
			return nil, fmt.Errorf("no finding is named %q; there are %s", name, strings.Join(Words(acceptable), ", "))
		}
	}
	return names, nil
}

// Words returns names as plain words.
func Words(names []Name) []string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = string(name)
	}
	return words
}
