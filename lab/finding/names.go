// Package finding holds the names of all findings: what dyno may say against a
// window, a trial or a run. docs/findings.md explains each, lab/report/lang has
// a text for each.
//
// A study accepts findings by these names and in no other way: there is no
// switch that accepts whatever may come.
package finding

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/spelling"
)

// acceptable are the findings that are judgements: somebody who knows why may
// judge otherwise.
var acceptable = []string{
	// what the generator says about itself
	"generator-stalled", "generator-full", "generator-late", "rate-missed", "arrivals-off", "generator-gc",
	"steal", "suspended", "clock-step", "shed",
	// what the calibration says
	"beyond-ceiling", "lag-floor", "at-floor",
	// what the answers say
	"errors", "wrong-answers", "redirected", "unfinished", "little", "counts-apart",
	// what the server's side says
	"other-load", "throttled", "limit-not-enforced", "listen-drops", "retransmits", "swapping", "frequency",
	// what the trial's CPUs say beside those of other trials
	"cpu-speed",
	// what the windows of a trial say together
	"subject-not-the-bottleneck", "still-warming-up", "drifting", "leak", "never-steady",
	// what the trials of a cell say together
	"restart-plateau", "restart-outlier",
	// what the comparisons of a run say
	"ratios-part", "twin-differs", "lost-unevenly",
}

// facts are the findings that are no judgement: there is nothing to use, whoever
// accepts it.
var facts = []string{"unreachable", "no-valid-window", "trial-failed", "subject-failed", "trial-interrupted", "no-usable-window", "run-incomplete", "repeats-exhausted"}

// Names returns the names of all findings.
func Names() []string { return slices.Concat(acceptable, facts) }

// Acceptable returns the names that a study may accept.
func Acceptable() []string { return slices.Clone(acceptable) }

// CheckAccepted returns an error for the first name that can't be accepted, with
// the name that was probably meant.
func CheckAccepted(names []string) error {
	for _, name := range names {
		switch {
		case slices.Contains(acceptable, name):
		case slices.Contains(facts, name):
			return fmt.Errorf("%s can't be accepted: there is nothing to use then", name)
		default:
			if near, ok := spelling.Nearest(name, acceptable); ok {
				return fmt.Errorf("no finding is named %q; did you mean %q?", name, near)
			}
			return fmt.Errorf("no finding is named %q; there are %s", name, strings.Join(acceptable, ", "))
		}
	}
	return nil
}
