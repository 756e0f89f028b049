package contract

import (
	"fmt"
	"strings"
)

// Refusal says that a subject's responses are wrong, so that measuring it would mean
// nothing.
type Refusal struct {
	Subject  string // base URL
	Problems []Problem
}

// Problem is one thing wrong with the response to one route.
type Problem struct {
	Route string // "GET /json", with the route's name
	What  string // "status", "header Content-Type", "length", "body", "keep-alive", "response"
	Diff  []string
}

// problemsShown is how many problems a message has at most.
const problemsShown = 12

// Error lists the problems, each with its diff: lines with "-" were expected,
// lines with "+" were got.
func (e *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the subject at %s responds wrongly, so it is not measured (- expected, + got):", e.Subject)
	route := ""
	for i, p := range e.Problems {
		if i == problemsShown {
			fmt.Fprintf(&b, "\n… and %d more problems", len(e.Problems)-i)
			break
		}
		if p.Route != route {
			b.WriteString("\n" + p.Route)
			route = p.Route
		}
		b.WriteString("\n  " + p.What)
		for _, line := range p.Diff {
			b.WriteString("\n    " + line)
		}
	}
	return b.String()
}
