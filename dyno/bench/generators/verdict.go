//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/published"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// order is one part of the claim: the first tool drives more than the second.
type order struct{ more, less, level string }

// orders are all that is shown. The claim rests on the first three: those on
// net/http.
func orders() []order {
	return []order{
		{"wrk", "hey", plainLevel}, {"hey", "ab", plainLevel}, {"hey", "ab -k", plainLevel},
		{"wrk", "hey", stallLevel}, {"hey", "ab", stallLevel}, {"hey", "ab -k", stallLevel},
		{"wrk", "hey", nullLevel}, {"hey", "ab -k", nullLevel},
	}
}

// ratio of requests per second, paired by round.
func (o order) ratio(v *rounds.Values) stats.Interval { return o.at(v, rounds.Confidence) }

// family is the same at the level that all orders keep together (Bonferroni).
func (o order) family(v *rounds.Values) stats.Interval {
	return o.at(v, 1-(1-rounds.Confidence)/float64(len(orders())))
}

func (o order) at(v *rounds.Values, level float64) stats.Interval {
	return stats.Ratio(v.Of(o.more, o.level, "requests_per_s"), v.Of(o.less, o.level, "requests_per_s"), level)
}

// showVerdict decides the claim part by part.
func showVerdict(w io.Writer, v *rounds.Values) {
	fmt.Fprintf(w, "\n### Verdict on \"%s\"\n\n", toolsClaim)
	fmt.Fprintln(w, "Paired ratios of requests per second. On net/http, as most users call them (ab without -k) and with kept connections for all:")
	for _, o := range orders() {
		ratio := o.ratio(v)
		fmt.Fprintf(w, "\n- %s: %s / %s = %.2f (%.2f–%.2f, %d pairs): %s", o.level, o.more, o.less, ratio.Estimate, ratio.Low, ratio.High, ratio.N, holds(ratio, o.family(v)))
	}
	_, why := decide(v)
	fmt.Fprintf(w, "\n\n**fiber-tools: %s.**", why)
	fmt.Fprintln(w, " Which tool is the bottleneck is in the column of the server's CPU: well below 1, the server waited for the tool.")
}

// margin is the share within which two tools drive the same.
const margin = 0.02

// holds decides whether the first drives more than the second: dyno/docs/claims-and-verdicts.md
// has the rule. What confirms is held to the interval of the part, what speaks against it
// to that of the family.
func holds(near, family stats.Interval) claim.Verdict {
	switch {
	case near.N < 2:
		return claim.Undecided
	case near.Low > 1:
		return claim.Confirmed
	case family.High < 1/(1+margin):
		return claim.Opposite
	case stats.Equivalent(near, margin):
		return claim.NoEffect
	}
	return claim.Undecided
}

func decide(v *rounds.Values) (claim.Verdict, string) {
	var verdicts [3]claim.Verdict
	for i, o := range orders()[:len(verdicts)] {
		verdicts[i] = holds(o.ratio(v), o.family(v))
	}
	return together(verdicts[0], verdicts[1], verdicts[2])
}

// together is the verdict on the whole order, from those on net/http: wrk before
// hey, hey before ab as it comes, hey before ab -k. It is confirmed only if all
// hold.
func together(wrkHey, heyAB, heyKept claim.Verdict) (claim.Verdict, string) {
	switch {
	case wrkHey == claim.Opposite && heyAB == claim.Opposite && heyKept == claim.Opposite:
		return claim.Opposite, "the opposite holds"
	case wrkHey.Refutes() || heyAB.Refutes():
		return claim.Mixed, "the order does not hold"
	case wrkHey == claim.Confirmed && heyAB == claim.Confirmed && heyKept == claim.Confirmed:
		return claim.Confirmed, "confirmed"
	case wrkHey == claim.Confirmed && heyAB == claim.Confirmed && heyKept == claim.Opposite:
		return claim.Mixed, "confirmed for ab as it comes, the opposite when ab keeps its connections as the others do"
	}
	return claim.Undecided, "undecided"
}

// toolsRecord is what the page of all claims reads.
func toolsRecord(r *rounds.Record, disturbed bool) *published.Record {
	v := &rounds.Values{Record: r, Disturbed: disturbed}
	out := claim.Outcome{ID: "fiber-tools", Says: toolsClaim, Blocks: r.Settings.Rounds}
	verdict, why := decide(v)
	out.Verdict, out.Why = verdict, i18n.Verbatim(why)
	for _, o := range orders() {
		ratio, null := o.ratio(v), 1.0
		verdict := holds(ratio, o.family(v))
		family := o.family(v)
		out.Parts = append(out.Parts, claim.Part{
			Expression: fmt.Sprintf("requests/s[%s] / requests/s[%s] > 1, on %s", o.more, o.less, o.level[len("1. "):]),
			Verdict:    verdict, Why: i18n.Verbatim(string(verdict)), Blocks: ratio.N,
			Effect: &claim.Effect{Unit: "×", Interval: ratio, Op: claim.Greater, Bound: 1, NoEffect: &null, Family: &family},
		})
	}
	record := &published.Record{
		Study: "dyno/bench/generators", Date: r.Started, Machine: r.Machine.Line(), Command: again(r.Command),
		Method: fmt.Sprintf("%d rounds of %d s, %d connections", r.Settings.Rounds, r.Settings.Seconds, r.Settings.Connections), Verdicts: []claim.Outcome{out},
	}
	for tool, version := range r.Versions {
		record.Versions = append(record.Versions, tool+" "+version)
	}
	slices.Sort(record.Versions)
	return record
}

// again is the command that a record was made by as it is given today: this program had
// another folder.
func again(command []string) string {
	command = slices.Clone(command)
	for i := range command {
		if command[i] == "./bench/generators" {
			command[i] = "./dyno/bench/generators"
		}
	}
	return strings.Join(command, " ")
}
