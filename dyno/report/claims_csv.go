package report

import (
	"io"
	"strconv"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// claimColumns are the columns of [ClaimsCSV].
var claimColumns = []string{
	"run", "study", "validity", "claim", "says", "published", "verdict", "why", "blocks", "needed_blocks",
	"part", "expression", "at", "part_verdict", "part_why", "part_blocks", "part_left_blocks",
	"figure", "unit", "estimate", "low", "high", "level", "operator", "claimed", "tolerance", "no_effect", "published_figure",
	"noise", "noise_low", "noise_high", "by_rank", "by_rank_low", "by_rank_high",
	"word", "part_word", "machine", "commit", "clean", "doubts",
}

// ClaimsCSV writes one row per claim and comparison in it, in the study's order,
// with the verdicts of both; a claim without comparisons has one row. Parts count
// from 1, so that the rows of part 1 are one per claim. Cells are empty where there
// is nothing to tell: an end that an interval does not have, an effect that could
// not be computed. Figures are in the unit next to them, with full precision.
// Without claims there is only the head. Lines end in \n.
func ClaimsCSV(w io.Writer, a *analysis.Analysis) error {
	rows := [][]string{claimColumns}
	for i := range a.Claims {
		o := &a.Claims[i]
		head := []string{
			a.Run.ID, a.Run.Study, strings.ToUpper(a.Level()), o.ID, o.Says, o.Published, string(o.Verdict), o.Why.String(),
			strconv.Itoa(o.Blocks), countText(o.Needed),
		}
		if len(o.Parts) == 0 {
			row := append(head, make([]string, len(claimColumns)-len(head)-caveatColumns)...)
			rows = append(rows, append(row, caveats(o, "")...))
		}
		for k := range o.Parts {
			row := append(head[:len(head):len(head)], partFields(k, &o.Parts[k])...)
			rows = append(rows, append(row, caveats(o, o.WordOf(k).String())...))
		}
	}
	return writeCSV(w, rows)
}

// partFields are the fields of a comparison, which is the k-th of its claim.
func partFields(k int, p *claim.Part) []string {
	texts := []string{
		strconv.Itoa(k + 1), p.Expression, p.At, string(p.Verdict), p.Why.String(), strconv.Itoa(p.Blocks), countText(p.Left),
	}
	texts = append(texts, effectFields(p.Effect)...)
	for _, beside := range []*stats.Interval{p.Noise, p.ByRank} {
		if beside == nil {
			texts = append(texts, "", "", "")
			continue
		}
		texts = append(append(texts, exact(beside.Estimate)), ends(*beside, false, false)...)
	}
	return texts
}

// caveatColumns is how many fields [caveats] are.
const caveatColumns = 6

// caveats are the fields of what a verdict rests on apart from its blocks: the verdict with
// what weakens it, machine, commit, and the findings that stand next to it.
func caveats(o *claim.Outcome, part string) []string {
	texts := []string{o.Word().String(), part, "", "", "", ""}
	if b := o.Basis; b != nil {
		copy(texts[2:], []string{b.Machine, b.Commit, strconv.FormatBool(b.Clean), i18n.List("; ", b.Doubts...).String()})
	}
	return texts
}

// effectFields are those of an effect, all empty if there is none.
func effectFields(e *claim.Effect) []string {
	if e == nil {
		return make([]string, 11)
	}
	texts := append([]string{e.Of, e.Unit, exact(e.Interval.Estimate)}, ends(e.Interval, e.Below, e.Above)...)
	level, tolerance, none, known := "", "", "", ""
	if e.Interval.Level > 0 {
		level = exact(e.Interval.Level)
	}
	if e.Op == claim.About {
		tolerance = exact(e.Tolerance)
	}
	if e.NoEffect != nil {
		none = exact(*e.NoEffect)
	}
	if e.Published != nil {
		known = exact(*e.Published)
	}
	return append(texts, level, string(e.Op), exact(e.Bound), tolerance, none, known)
}

// ends are those of an interval; empty for one that it does not have.
func ends(iv stats.Interval, below, above bool) []string {
	low, high := exact(iv.Low), exact(iv.High)
	if below || iv.Level <= 0 {
		low = ""
	}
	if above || iv.Level <= 0 {
		high = ""
	}
	return []string{low, high}
}

// exact writes a figure with full precision.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// countText is empty for none.
func countText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
