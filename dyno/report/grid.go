package report

import (
	"slices"
	"strings"

	"dyno.example/dyno/present"
)

// grid is a table of texts; the first column is the rank, then names follow.
type grid struct {
	heads [][]string // lines of each head
	drop  []int      // how soon each column goes; 0 stays
	rows  [][]entry
	left  int  // how many columns hold ranks and names, which begin at the left
	plain bool // no row stands out
}

// entry is an estimate with its interval beneath.
type entry struct{ main, sub string }

func newGrid(r ranking, c language) *grid {
	if len(r.Rows) > few {
		return newLongGrid(r, c)
	}
	g := &grid{heads: [][]string{{"#"}, {c.text("ranking.subject")}}, drop: []int{0, 0}, left: 2}
	for _, col := range r.Columns {
		g.heads = append(g.heads, headLines(col, c))
		g.drop = append(g.drop, col.drop)
	}
	for _, row := range r.Rows {
		line := []entry{{main: row.Rank}, {main: printable(row.Subject.Name) + row.Warming.Mark(), sub: printable(row.Subject.Version)}}
		for _, f := range row.Figures {
			line = append(line, entry{f.mainText(), f.Range()})
		}
		g.rows = append(g.rows, line)
	}
	return g
}

// newLongGrid has one line a subject, so that many fit a screen: of the intervals, that
// of the metric ranked by, in a column of its own.
func newLongGrid(r ranking, c language) *grid {
	g := &grid{heads: [][]string{{"#"}, {c.text("ranking.subject")}}, drop: []int{0, 0}, left: 2}
	by := slices.IndexFunc(r.Columns, func(col column) bool { return col.Metric == r.By && !col.Ratio })
	if by >= 0 && !slices.ContainsFunc(r.Rows, func(row row) bool { return row.Figures[by].Range() != "" }) {
		by = -1 // one block has no intervals
	}
	for i, col := range r.Columns {
		g.heads, g.drop = append(g.heads, headLines(col, c)), append(g.drop, col.drop)
		if i == by {
			g.heads, g.drop = append(g.heads, []string{c.text("table.interval")}), append(g.drop, 0)
		}
	}
	for _, row := range r.Rows {
		line := []entry{{main: row.Rank}, {main: printable(row.Subject.Name) + row.Warming.Mark()}}
		for i, f := range row.Figures {
			line = append(line, entry{main: f.mainText()})
			if i == by {
				line = append(line, entry{main: f.Range()})
			}
		}
		g.rows = append(g.rows, line)
	}
	return g
}

func (f figure) mainText() string {
	if f.Missing {
		return "–"
	}
	return f.Estimate
}

// headLines breaks a head so that it is no wider than its figures.
func headLines(col column, c language) []string {
	if col.Ratio {
		name, _, _ := strings.Cut(printable(col.Title), " ")
		if key := "table.short." + col.Metric; c.has(key) {
			name = c.text(key)
		}
		lines := []string{name, c.text("table.ratio")}
		if col.Noise != "" {
			lines = append(lines, col.Noise)
		}
		return lines
	}
	first, rest, found := strings.Cut(col.Title, " ")
	if !found {
		return []string{first}
	}
	return []string{first, rest}
}

// fit drops columns, the least important first, and then shortens names, until
// the grid is no wider than width.
func (g *grid) fit(width int) {
	for g.width() > width && slices.Max(g.drop) > 0 {
		last := slices.Index(g.drop, slices.Max(g.drop))
		g.heads = slices.Delete(g.heads, last, last+1)
		g.drop = slices.Delete(g.drop, last, last+1)
		for i := range g.rows {
			g.rows[i] = slices.Delete(g.rows[i], last, last+1)
		}
	}
	if over := g.width() - width; over > 0 {
		name := g.left - 1
		room := max(g.widths()[name]-over, 8)
		for _, row := range g.rows {
			row[name] = entry{present.Clip(row[name].main, room), present.Clip(row[name].sub, room)}
		}
	}
}

const columnGap = 2

func (g *grid) widths() []int {
	out := make([]int, len(g.heads))
	for i, lines := range g.heads {
		for _, l := range lines {
			out[i] = max(out[i], present.Width(l))
		}
		for _, row := range g.rows {
			out[i] = max(out[i], present.Width(row[i].main), present.Width(row[i].sub))
		}
	}
	return out
}

func (g *grid) width() int {
	total := -columnGap
	for _, w := range g.widths() {
		total += w + columnGap
	}
	return total
}

func (g *grid) String(p painter) string {
	var out strings.Builder
	depth := 0
	for _, h := range g.heads {
		depth = max(depth, len(h))
	}
	for line := range depth {
		out.WriteString(g.line(p, dim, func(i int) string {
			if at := line - (depth - len(g.heads[i])); at >= 0 {
				return g.heads[i][at]
			}
			return ""
		}))
	}
	for n, row := range g.rows {
		style := ""
		if !g.plain && (n == 0 || row[0].main == g.rows[0][0].main) {
			style = green
		}
		out.WriteString(g.line(p, style, func(i int) string { return row[i].main }))
		out.WriteString(g.line(p, dim, func(i int) string { return row[i].sub }))
	}
	return out.String()
}

// line writes one line of the grid: ranks and names to the left, figures to the right.
func (g *grid) line(p painter, style string, text func(i int) string) string {
	var out strings.Builder
	for i, w := range g.widths() {
		t := text(i)
		fill := strings.Repeat(" ", w-present.Width(t))
		if i < g.left {
			t += fill
		} else {
			t = fill + t
		}
		if i > 0 {
			out.WriteString(strings.Repeat(" ", columnGap))
		}
		out.WriteString(t)
	}
	line := strings.TrimRight(out.String(), " ")
	if line == "" {
		return ""
	}
	if style != "" {
		line = p.paint(style, line)
	}
	return line + "\n"
}
