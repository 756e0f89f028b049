package claim

// Other is the figure of the effect where that is not what stands on one side of the
// expression: the difference of both. A quotient of both sides, which its unit shows, and a
// figure compared with a number have none: "" then.
func (p *Part) Other() string {
	e, err := Parse(p.Expression)
	if err != nil || p.Effect == nil || p.Effect.Unit == "×" {
		return ""
	}
	for i := range e.Comparisons {
		c := &e.Comparisons[i]
		if of := p.Effect.Of; of == "" || of == write(c.left, 0) || of == write(c.right, 0) {
			return ""
		}
	}
	return p.Effect.Of
}
