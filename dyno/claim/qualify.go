package claim

import "dyno.example/internal/i18n"

// qualify takes a verdict back where the study could not have given another: what is
// confirmed by construction tests nothing, and what can't be decided here isn't by chance.
// It may be done again.
func (c *Claim) qualify(parts []Part) {
	all := !c.marks(func(c *Comparison) bool { return c.Fitted })
	for i := range parts {
		p := &parts[i]
		cmp := c.comparison(p.Expression)
		switch {
		case cmp == nil:
		case cmp.Unmeasurable && p.Verdict != Unmeasurable:
			p.Verdict, p.Why, p.Open, p.Needed = Unmeasurable, i18n.Verbatim(oneLine(c.Unmeasurable)), false, 0
		case c.ByConstruction != "" && (all || cmp.Fitted) && p.Verdict.Confirms():
			p.Verdict, p.Why = ByConstruction, i18n.New("claim.only-outcome", "no other outcome was possible: %s", p.Why)
		}
	}
}

// marks reports whether a comparison of the claim is marked.
func (c *Claim) marks(marked func(*Comparison) bool) bool {
	for _, text := range c.Expressions {
		e, err := Parse(text)
		if err != nil {
			continue // reported elsewhere
		}
		for i := range e.Comparisons {
			if marked(&e.Comparisons[i]) {
				return true
			}
		}
	}
	return false
}

// Marked reports which marks stand in the claim's expressions.
func (c *Claim) Marked() (fitted, unmeasurable bool) {
	return c.marks(func(c *Comparison) bool { return c.Fitted }), c.marks(func(c *Comparison) bool { return c.Unmeasurable })
}

// comparison is that of the claim which is written so; nil if there is none.
func (c *Claim) comparison(written string) (found *Comparison) {
	c.marks(func(c *Comparison) bool {
		if c.Text == written {
			found = c
		}
		return found != nil
	})
	return found
}
