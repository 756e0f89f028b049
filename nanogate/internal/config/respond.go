package config

// Respond is a response without an upstream.
type Respond struct {
	Status int
	Type   string // of the content
	Body   string
}

// The statuses that a route may respond with.
const leastStatus, mostStatus = 200, 599

// NewRespond is a response of that status with the defaults.
func NewRespond(status int) *Respond {
	return &Respond{Status: status, Type: "text/plain; charset=utf-8"}
}

func readRespond(p place) *Respond {
	r := NewRespond(200)
	readFields(p, r, []known[Respond]{
		// Default: `200`
		{"status", func(r *Respond, p place) { r.Status = p.status(leastStatus, mostStatus) }},
		// The media type of the body.
		{"type", func(r *Respond, p place) { r.Type = p.text() }},
		// Default: empty
		{"body", func(r *Respond, p place) {
			text, ok := p.Scalar()
			if r.Body = text; !ok {
				p.Problem("", "expected a text, got %s", p.Describe())
			}
		}},
	})
	return r
}
