package study

import (
	"math"
	"time"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// Foreseen is what follows from a plan about a claim before anything was measured.
type Foreseen struct {
	Claim string
	Quick bool // of the study's short form only
	claim.Foreseen
}

// Message is a line for who plans a study.
func (f Foreseen) Message() i18n.Message {
	part := f.Expression
	if f.At != "" {
		part += ", " + f.At
	}
	switch {
	case f.Verdict == "" && f.Quick:
		return i18n.New("study.quick-claim", "in the quick form, claim %s: %s: %s", f.Claim, part, f.Why)
	case f.Verdict == "":
		return i18n.New("study.claim", "claim %s: %s: %s", f.Claim, part, f.Why)
	case f.Quick:
		return i18n.New("study.quick-claim-undecided", "in the quick form, claim %s is %s: %s: %s", f.Claim, f.Verdict, part, f.Why)
	}
	return i18n.New("study.claim-is", "claim %s is %s: %s: %s", f.Claim, f.Verdict, part, f.Why)
}

// Foresee says which parts of the study's claims it can't decide, or only in one way, whatever
// is measured, and what others take: of its full form, and what is so of the short form only.
func (s *Study) Foresee() []Foreseen {
	type part struct {
		claim, expression, at string
		verdict               claim.Verdict
	}
	known := map[part]bool{}
	list := s.foreseen()
	for _, f := range list {
		known[part{f.Claim, f.Expression, f.At, f.Verdict}] = true
	}
	for _, f := range s.Quick().foreseen() {
		if !known[part{f.Claim, f.Expression, f.At, f.Verdict}] {
			f.Quick = true
			list = append(list, f)
		}
	}
	return list
}

// foreseen is nothing of a study that samples, whose levels aren't known, or that is too large
// for a plan.
func (s *Study) foreseen() (list []Foreseen) {
	if s.Design.sampling() || checkSize(s) != nil {
		return nil
	}
	plan, err := Expand(s, 1)
	if err != nil {
		return nil
	}
	var cells []claim.Cell
	asked := map[int]claim.LoadLimit{}
	for i := range plan.Cells {
		c := &plan.Cells[i]
		if c.Twin || c.Beside != nil {
			continue
		}
		cells = append(cells, claim.Cell{Index: c.Index, Subject: c.Subject, Load: c.Load, Levels: c.Levels})
		asked[c.Index] = c.loadLimit(s.Trial)
	}
	space := claim.SpaceOf(ClaimMetrics(), cells)
	for i := range s.Claims {
		for _, f := range claim.Foresee(&s.Claims[i], space, func(cell int) claim.LoadLimit { return asked[cell] }) {
			list = append(list, Foreseen{Claim: s.Claims[i].ID, Foreseen: f})
		}
	}
	return list
}

// loadLimit is what the cell's load can send in a trial: the arrivals of an open loop of
// one rate, or the requests of users that think. Where chance decides how many there are,
// five standard deviations are added.
func (c *Cell) loadLimit(t Timing) claim.LoadLimit {
	seconds := c.Timing(t).Duration.Seconds()
	unknown := claim.LoadLimit{Requests: math.Inf(1), PerSecond: math.Inf(1), Seconds: seconds}
	if c.Link.WebSocket != nil || c.Link.Events != nil {
		return unknown // its figures are about messages
	}
	var n float64
	switch p := &c.Profile; {
	case p.Mode == profile.Open && p.Rate > 0:
		n = p.Rate * seconds
	case p.Mode == profile.Closed && p.Think.Mean > 0:
		users := float64(p.Connections * max(c.Link.Streams, 1))
		n = users * (1 + seconds/(float64(p.Think.Mean)/float64(time.Second)))
	default:
		return unknown
	}
	return claim.LoadLimit{Requests: n, PerSecond: (n + 5*math.Sqrt(n)) / seconds, Seconds: seconds}
}
