package config

import "slices"

// Redirect sends a client elsewhere.
type Redirect struct {
	Status int // 301, 302, 303, 307, 308
	To     *Template
}

func readRedirect(p place) *Redirect {
	r := &Redirect{Status: 308}
	if !p.IsMapping() {
		r.To = readTemplate(p)
		return r
	}
	found := readFields(p, r, []known[Redirect]{
		// The URL. Default: required
		{"to", func(r *Redirect, p place) { r.To = readTemplate(p) }},
		// 301, 302, 303, 307 or 308.
		{"status", func(r *Redirect, p place) { r.Status = p.status(301, 308) }},
	})
	if _, ok := found["to"]; !ok {
		p.Problem("add: to: https://{host}{path}{query}", "the redirect leads nowhere")
	}
	return r
}

func (r *Redirect) check(report report) {
	if !slices.Contains([]int{301, 302, 303, 307, 308}, r.Status) {
		report([]string{"status"}, "", "expected 301, 302, 303, 307 or 308, got %d", r.Status)
	}
	if r.To != nil {
		r.To.check(report.in("to"), false)
	}
}
