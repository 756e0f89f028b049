package compare

import "dyno.example/internal/i18n"

// manyErrors is the share of failed requests, in percent, from which on it is said
// next to the ratios: the limit of the finding "errors".
const manyErrors = 0.5

// failing says what failed of a cell in one of the runs: no other figure shows it, and
// to fail may be cheaper than to serve.
func (c *Cell) failing(run string) (notes []i18n.Message) {
	if n := len(c.Failed); n > 0 {
		notes = append(notes, i18n.New("compare.failed-trials-left-out", "%s failed in %d of %d trials of run %s, which are in no figure here", c, n, n+len(c.Trials), run))
	}
	if e := c.Estimates["errors"]; e.N > 0 && e.Estimate > manyErrors {
		notes = append(notes, i18n.New("compare.failing-may-be-cheaper", "%s failed %.3g %% of its requests in run %s, and failing may be cheaper than serving", c, e.Estimate, run))
	}
	return notes
}
