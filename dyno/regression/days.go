package regression

import (
	"math"
	"time"

	"dyno.example/dyno/baseline"
	"dyno.example/internal/i18n"
)

// farFrom says that a run is farther from the days of a baseline than they are from each
// other; empty if it is not. What a machine is like lasts for days: days that follow each
// other differ less than those that lie apart, and tell too little of how much a later one
// may.
func farFrom(b *baseline.Baseline, started time.Time) i18n.Message {
	first, last := b.Span()
	days := func(d time.Duration) int { return int(math.Round(d.Hours() / 24)) }
	within, after := days(last.Sub(first)), days(started.Sub(last))
	if after <= within {
		return i18n.Message{}
	}
	return i18n.New("regression.baseline-days-too-close", "the baseline's runs were started within %d days, and this one %d days after them: as far as days are like their neighbours, those differ less than this one may from them (dyno/docs/regressions.md has the rates). dyno baseline add NAME RUN adds a run of another day", within+1, after)
}
