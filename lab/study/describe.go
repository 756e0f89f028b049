package study

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/lab/load"
)

// Describe prints the plan for a person: what will be done, in which order, and
// how long it takes.
func (p Plan) Describe(w io.Writer) {
	blocks := 0
	if len(p.Cells) > 0 {
		blocks = len(p.Trials) / len(p.Cells)
	}
	fmt.Fprintf(w, "plan: %d cells × %d blocks = %d trials, about %v; seed %d\n", len(p.Cells), blocks, len(p.Trials), p.Estimate.Round(time.Second), p.Seed)
	for _, c := range p.Cells {
		fmt.Fprintf(w, "  %3d  %-18s %s\n", c.Index+1, c.Subject, c.describe())
	}
	const shown = 3
	for block := range min(blocks, shown) {
		var order []string
		for _, t := range p.Trials[block*len(p.Cells) : (block+1)*len(p.Cells)] {
			order = append(order, fmt.Sprint(t.Cell+1))
		}
		fmt.Fprintf(w, "block %d: cells %s\n", block+1, strings.Join(order, " "))
	}
	if blocks > shown {
		fmt.Fprintf(w, "… and %d more blocks, each in an order of its own\n", blocks-shown)
	}
}

func (c *Cell) describe() string {
	text := c.Load + ": "
	if c.Profile.Mode == load.Open {
		text += fmt.Sprintf("open, %g requests/s (%s), %d connections", c.Profile.Rate, c.Profile.Arrivals, c.Profile.Connections)
	} else {
		text += fmt.Sprintf("closed, %d connections", c.Profile.Connections)
	}
	var names []string
	for _, r := range c.Requests {
		names = append(names, r.Name)
	}
	text += "; " + strings.Join(names, ", ")
	for _, name := range slices.Sorted(maps.Keys(c.Levels)) {
		text += fmt.Sprintf("; %s=%s", name, c.Levels[name])
	}
	return text
}
