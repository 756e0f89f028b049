package study

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/internal/i18n"
)

// maxMargin bounds the share within which two figures are called the same.
const maxMargin = 0.5

// claimsAt reads the claims that the study is to decide. Their names are looked up only
// if all else is right (names that were not understood are no news), and if the design
// is no Latin hypercube, whose levels depend on the seed and have nothing that stands for all.
func claimsAt(at scope, s *Study) []claim.Claim {
	var space *claim.Space
	if len(at.in.Problems) == 0 && checkSize(s) == nil && s.Design.Kind != LatinHypercube {
		space = claimSpace(s)
	}
	var claims []claim.Claim
	for _, item := range at.list() {
		c := claimAt(item, space)
		if c.ID != "" && slices.ContainsFunc(claims, func(o claim.Claim) bool { return o.ID == c.ID }) {
			item.Report(i18n.New("study.claim-named-twice", "two claims are called %s", form.Quote(c.ID)), i18n.New("study.rename-claim", "give one of them another id"))
		}
		checkTraced(item, &c, s)
		claims = append(claims, c)
	}
	return claims
}

func claimAt(at scope, space *claim.Space) claim.Claim {
	f, understood := at.fields("id", "says", "published", "holds", "expressions", "over", "direction", "margin", "unmeasurable", "by_construction")
	var c claim.Claim
	if v, ok := f["id"]; ok {
		c.ID = v.name()
	} else if understood {
		at.Report(i18n.New("study.claim-without-id", "the claim has no id"), i18n.New("study.add-field", "add: %s: %s", "id", "faster"))
	}
	for field, into := range map[string]*string{"says": &c.Says, "published": &c.Published, "unmeasurable": &c.Unmeasurable, "by_construction": &c.ByConstruction} {
		if v, ok := f[field]; ok {
			*into = strings.Join(strings.Fields(v.filled("\n\t")), " ")
		}
	}
	if v, ok := f["over"]; ok {
		c.Over = v.moderators()
		if space != nil && len(c.Over) > 0 {
			if err := claim.CheckOver(c.Over, space); err != nil {
				v.Report(err.What, err.Hint)
				space = nil // its expressions can't be looked up
			}
		}
	}
	if v, ok := f["holds"]; ok {
		c.Expressions = append(c.Expressions, v.expression(space, c.Over))
	}
	if v, ok := f["expressions"]; ok {
		for _, item := range v.list() {
			c.Expressions = append(c.Expressions, item.expression(space, c.Over))
		}
	}
	if v, ok := f["direction"]; ok {
		c.Direction = v.expression(space, c.Over)
	}
	if v, ok := f["margin"]; ok {
		c.Margin = v.share(maxMargin)
	}
	if understood {
		checkClaim(at, f)
		checkMarks(at, &c)
	}
	return c
}

// checkClaim holds the fields against each other.
func checkClaim(at scope, f map[string]scope) {
	_, holds := f["holds"]
	expressions, several := f["expressions"]
	if holds && several {
		expressions.Report(i18n.New("study.holds-and-expressions", "expected holds or expressions, got both"), i18n.New("study.use-expressions", "put them all under expressions"))
	}
	if _, ok := f["unmeasurable"]; !ok && !holds && !several {
		at.Report(i18n.New("study.claim-nothing-decide", "the claim has nothing to decide"), i18n.New("study.add-field", "add: %s: %s", "holds", "throughput[a] > throughput[b]"))
	}
}

// checkMarks requires a reason for what is marked in an expression.
func checkMarks(at scope, c *claim.Claim) {
	fitted, unmeasurable := c.Marked()
	if fitted && c.ByConstruction == "" {
		at.Report(i18n.New("study.fitted-without-why", "a comparison is marked as fitted, and nothing says why"), i18n.New("study.add-by-construction", "add: by_construction: why it could not have come out otherwise"))
	}
	if unmeasurable && c.Unmeasurable == "" {
		at.Report(i18n.New("study.unmeasurable-without-why", "a comparison is marked as unmeasurable, and nothing says why"), i18n.New("study.add-unmeasurable", "add: unmeasurable: why, and how to run it where it can be measured"))
	}
}

// moderators reads the range over which a claim must hold: factors with the levels that
// count, or the name of one that counts with all of its levels.
func (s scope) moderators() (list []claim.Moderator) {
	if !s.IsMapping() {
		if name := s.filled(""); name != "" {
			list = append(list, claim.Moderator{Factor: name})
		}
		return list
	}
	for _, e := range s.entries() {
		d := claim.Moderator{Factor: e.key}
		for _, item := range e.value.list() {
			d.Levels = append(d.Levels, item.filled(""))
		}
		list = append(list, d)
	}
	return list
}

// expression reads a claim's expression and looks its names up if there is a space
// to do so, at all places of the moderators. It returns "" after a problem.
func (s scope) expression(space *claim.Space, over []claim.Moderator) string {
	text := s.filled("\n\t")
	if text == "" {
		return ""
	}
	e, err := claim.Parse(text)
	if err != nil {
		var wrong *claim.Error
		if errors.As(err, &wrong) {
			s.wrong(text, wrong)
		}
		return ""
	}
	if space != nil {
		for _, wrong := range claim.CheckAt(e, over, space) {
			s.wrong(text, wrong)
		}
	}
	return text
}

// wrong reports an error within a text at its place in the file; where the text is
// not written there as it is, because it is folded or has escapes, at the beginning
// of the text.
func (s scope) wrong(text string, err *claim.Error) {
	p := Problem{At: s.At(), Message: err.What, Hint: err.Hint}
	if from := s.in.columnOf(text, p.Line, p.Column); from > 0 {
		p.Column = from + err.Column - 1
	} else {
		p.Message = i18n.New("study.character", "at its character %d: %s", err.Column, p.Message)
	}
	s.in.Problems = append(s.in.Problems, p)
}

// columnOf finds the column at which text really begins in a line, at the one given
// or after a quote there; 0 if it doesn't.
func (in *input) columnOf(text string, line, column int) int {
	rows := strings.Split(string(in.src), "\n")
	if line < 1 || line > len(rows) {
		return 0
	}
	runes := []rune(rows[line-1])
	for from := column; from <= column+1 && from <= len(runes); from++ {
		if strings.HasPrefix(string(runes[from-1:]), text) {
			return from
		}
	}
	return 0
}

// share reads a share such as 2% or 0.02.
func (s scope) share(most float64) float64 {
	text, _ := s.Scalar()
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x > 0 && x <= most) {
		s.Report(i18n.New("study.expected-share", "expected a share such as 2%%, at most %s%%, got %s", plain(100*most), s.Describe()))
		return 0
	}
	return x
}

// claimSpace is what claims of the study can name.
func claimSpace(s *Study) *claim.Space {
	var cells []claim.Cell
	levels := []map[string]string{nil} // of samples, which claims can't name
	if !s.Design.sampling() {
		levels, _ = s.points(0) // whatever the seed
	}
	for _, subject := range s.Subjects {
		for _, l := range s.Loads {
			for _, chosen := range levels {
				cells = append(cells, claim.Cell{Index: len(cells), Subject: subject.Name, Load: l.Name, Levels: chosen})
			}
		}
	}
	space := claim.SpaceOf(ClaimMetrics(), cells)
	if s.Design.Kind == SobolDesign {
		for i := range s.Factors {
			space.Sampled = append(space.Sampled, s.Factors[i].Name)
		}
	}
	return space
}

// ClaimMetrics are the figures that claims can be about: those of [Metrics], what the
// generator did, what the worst seconds have in common, and what is known of traced requests.
func ClaimMetrics() []claim.Metric {
	var list []claim.Metric
	for _, name := range append(append(Metrics(), "lag.p99", "generator.cpu"), append([]string{"tail.gc", "tail.gc.late", "tail.files", "tail.files.late"}, tracedMetrics()...)...) {
		list = append(list, claim.Metric{Name: name, Unit: unitOf(name)})
	}
	return list
}

// unitOf is the unit of a metric.
func unitOf(metric string) string {
	switch metric {
	case "cpu.idle":
		return "%"
	case "cpu.settling":
		return ""
	}
	switch first, _, _ := strings.Cut(metric, "."); first {
	case "throughput":
		return "req/s"
	case "cpu", "run_queue", "generator":
		return "µs/req"
	case "rss", "pss", "executable", "size":
		return "bytes"
	case "threads":
		return "threads"
	case "open_files":
		return "files"
	case "switches", "preemptions":
		return "switches/req"
	case "received":
		return "bytes/req"
	case "errors", "tail", "explained":
		return "%"
	case "allocs", "alloc", "gc":
		return map[string]string{
			"allocs": "allocs/req", "alloc.bytes": "bytes/req", "gc.cycles": "cycles/s", "gc.pause": "µs/s", "gc.cpu": "µs/req",
		}[metric]
	}
	return "µs" // of a clock
}
