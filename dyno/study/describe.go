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
	"dyno.example/internal/i18n"
)

// Describe prints the plan for a person: what will be done, in which order, and
// how long it takes.
func (p Plan) Describe(w io.Writer, say i18n.Say) {
	blocks := 0
	if len(p.Cells) > 0 {
		blocks = len(p.Trials) / len(p.Cells)
	}
	if d := p.Design; d != nil {
		fmt.Fprintln(w, say(i18n.New("study.design", "design: %s over %s", d.Kind, i18n.Names(d.Factors...))))
	}
	n, trials, about := countBlocks(blocks), countTrials(len(p.Trials)), i18n.Verbatim(p.Estimate.Round(time.Second).String())
	if p.Ahead.Most > 0 {
		n, trials, about = p.Ahead.size(len(p.Cells))
	}
	fmt.Fprintln(w, say(i18n.New("study.plan", "plan: %s × %s = %s, about %v; seed %d", countCells(len(p.Cells)), n, trials, about, p.Seed)))
	sliced, beside := make(map[int]bool), p.TrialsBeside()
	for i := range p.Trials {
		sliced[p.Trials[i].Cell] = p.Trials[i].InSlices
	}
	for _, c := range p.Cells {
		how := c.describe()
		if _, both := beside[c.Index]; sliced[c.Index] && both {
			how = i18n.List("; ", how, i18n.New("study.in-slices-and-trials", "in slices; cell %d has what they can't tell", beside[c.Index]+1))
		} else if sliced[c.Index] {
			how = i18n.List("; ", how, i18n.New("study.in-slices", "in slices"))
		} else if c.Beside != nil {
			how = i18n.List("; ", how, i18n.New("study.in-trials-beside", "in trials, for what slices can't tell of cell %d", *c.Beside+1))
		}
		fmt.Fprintf(w, "  %3d  %-18s %s\n", c.Index+1, c.Subject, say(how))
	}
	for _, load := range slices.Sorted(maps.Keys(p.Whole)) {
		if why := p.Whole[load]; !why.IsZero() {
			fmt.Fprintln(w, say(i18n.New("study.load-in-trials", "%s is measured in trials: %s", load, why)))
		}
	}
	const shown = 3
	for block := range min(blocks, shown) {
		var order []string
		for _, t := range p.Trials[block*len(p.Cells) : (block+1)*len(p.Cells)] {
			order = append(order, fmt.Sprint(t.Cell+1))
		}
		fmt.Fprintln(w, say(i18n.New("study.block-of-cells", "block %d: cells %s", block+1, strings.Join(order, " "))))
	}
	if n := blocks - shown; n > 0 {
		more := i18n.Plural(n, i18n.New("study.one-more-block", "%d more block", n), i18n.New("study.more-blocks", "%d more blocks", n))
		fmt.Fprintln(w, say(i18n.New("study.and-more-blocks", "… and %s, each in an order of its own", more)))
	}
}

func countCells(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("study.cell", "%d cell", n), i18n.New("study.cells", "%d cells", n))
}

func countBlocks(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("study.block", "%d block", n), i18n.New("study.blocks", "%d blocks", n))
}

func countTrials(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("study.trial", "%d trial", n), i18n.New("study.trials", "%d trials", n))
}

func countConnections(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("study.connection", "%d connection", n), i18n.New("study.connections", "%d connections", n))
}

func (c *Cell) describe() i18n.Message {
	how, connections := i18n.Message{}, countConnections(c.Profile.Connections)
	if c.Profile.Mode == profile.Open {
		how = i18n.New("study.open", "open, %s (%s), %s", c.Profile.Rhythm(), c.Profile.Arrivals, connections)
	} else {
		how = i18n.New("study.closed", "closed, %s", connections)
		if c.Profile.Think.Mean > 0 {
			how = i18n.New("study.closed-think", "closed, %s, think time %s", connections, c.Profile.Think.String())
		}
	}
	var names []string
	for _, r := range c.Requests {
		names = append(names, r.Name)
	}
	parts := []i18n.Message{i18n.Format("%s: %s", c.Load, how), i18n.Names(names...)}
	parts = append(parts, c.describeLink()...)
	parts = append(parts, c.describeNetwork()...)
	for _, name := range slices.Sorted(maps.Keys(c.Levels)) {
		level := c.Levels[name]
		if level == "" || strings.ContainsFunc(level, unicode.IsControl) {
			level = form.Quote(level)
		}
		parts = append(parts, i18n.Format("%s=%s", name, level))
	}
	if c.Twin {
		parts = append(parts, i18n.New("study.again", "again (A/A)"))
	}
	return i18n.List("; ", parts...)
}

// describeLink says how the cell's load connects and waits, where that is neither the
// default nor a level.
func (c *Cell) describeLink() (parts []i18n.Message) {
	k := &c.Link
	add := func(format string, args ...any) { parts = append(parts, i18n.Format(format, args...)) }
	if _, level := c.Levels["reuse"]; !level && k.PerConnection > 0 {
		add("reuse=%d", k.PerConnection)
	} else if !level && k.Reuse != "" {
		add("reuse=%s", k.Reuse)
	}
	_, protocol := c.Levels["protocol"]
	_, streams := c.Levels["streams"]
	if k.Streams > 0 && !protocol {
		add("http2")
	}
	if k.Streams > 0 && !streams {
		add("streams=%d", k.Streams)
	}
	if w := k.WebSocket; w != nil {
		if w.Pushes() {
			add("websocket, answers=none")
		} else {
			add("websocket")
		}
	} else if k.Events != nil {
		add("events")
	}
	if k.MaxAge > 0 {
		add("max_age=%v", k.MaxAge)
	}
	switch n := len(k.Sources); {
	case n > 1:
		parts = append(parts, i18n.New("study.sources", "sources=%v and %d more", k.Sources[0], n-1))
	case n == 1:
		add("sources=%v", k.Sources[0])
	}
	if _, level := c.Levels["pacing"]; !level && c.Pacing != "" {
		add("pacing=%s", c.Pacing)
	}
	return parts
}
