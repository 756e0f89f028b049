package study

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"dyno.example/dyno/load/profile"
)

// Describe prints the plan for a person: what will be done, in which order, and
// how long it takes.
func (p Plan) Describe(w io.Writer) {
	blocks := 0
	if len(p.Cells) > 0 {
		blocks = len(p.Trials) / len(p.Cells)
	}
	if d := p.Design; d != nil {
		fmt.Fprintf(w, "design: %s over %s\n", d.Kind, strings.Join(d.Factors, ", "))
	}
	fmt.Fprintf(w, "plan: %s × %s = %s, about %v; seed %d\n", count(len(p.Cells), "cell"), count(blocks, "block"), count(len(p.Trials), "trial"), p.Estimate.Round(time.Second), p.Seed)
	for _, c := range p.Cells {
		text := c.describe()
		if c.Twin {
			text += "; again (A/A)"
		}
		fmt.Fprintf(w, "  %3d  %-18s %s\n", c.Index+1, c.Subject, text)
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
		fmt.Fprintf(w, "… and %s, each in an order of its own\n", count(blocks-shown, "more block"))
	}
}

// count writes a number of things that take an s for more than one.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func (c *Cell) describe() string {
	text := c.Load + ": "
	if c.Profile.Mode == profile.Open {
		text += fmt.Sprintf("open, %s (%s), %s", c.Profile.Rhythm(), c.Profile.Arrivals, count(c.Profile.Connections, "connection"))
	} else {
		text += fmt.Sprintf("closed, %s", count(c.Profile.Connections, "connection"))
		if c.Profile.Think.Mean > 0 {
			text += ", think time " + c.Profile.Think.String()
		}
	}
	var names []string
	for _, r := range c.Requests {
		names = append(names, r.Name)
	}
	text += "; " + strings.Join(names, ", ")
	text += c.describeLink()
	for _, name := range slices.Sorted(maps.Keys(c.Levels)) {
		level := c.Levels[name]
		if level == "" || strings.ContainsFunc(level, unicode.IsControl) {
			level = form.Quote(level)
		}
		text += fmt.Sprintf("; %s=%s", name, level)
	}
	return text
}

// describeLink says how the cell's load connects and waits, as far as that is not
// the default and no level says it.
func (c *Cell) describeLink() string {
	text, k := "", &c.Link
	if _, level := c.Levels["reuse"]; !level && k.PerConnection > 0 {
		text += fmt.Sprintf("; reuse=%d", k.PerConnection)
	} else if !level && k.Reuse != "" {
		text += "; reuse=" + string(k.Reuse)
	}
	_, protocol := c.Levels["protocol"]
	_, streams := c.Levels["streams"]
	if k.Streams > 0 && !protocol {
		text += "; http2"
	}
	if k.Streams > 0 && !streams {
		text += fmt.Sprintf("; streams=%d", k.Streams)
	}
	if w := k.WebSocket; w != nil {
		text += "; websocket"
		if w.Pushes() {
			text += ", answers=none"
		}
	} else if k.Events != nil {
		text += "; events"
	}
	if k.MaxAge > 0 {
		text += fmt.Sprintf("; max_age=%v", k.MaxAge)
	}
	if n := len(k.Sources); n > 0 {
		text += fmt.Sprintf("; sources=%v", k.Sources[0])
		if n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
	}
	if _, level := c.Levels["pacing"]; !level && c.Pacing != "" {
		text += "; pacing=" + string(c.Pacing)
	}
	return text
}
