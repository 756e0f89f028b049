package report

import (
	"dyno.example/dyno/present"
)

// terminalLanguages writes the ranks of languages for a terminal, nothing if there are none,
// with what they are if noted is set.
func terminalLanguages(r ranks, c language, width int, p painter, noted bool) string {
	if len(r.Languages) == 0 {
		return ""
	}
	g := &grid{heads: [][]string{{"#"}, {c.text("languages.language")}, {c.text("subjects.framework")}}, drop: []int{0, 0, 0}, left: 3}
	for i, col := range r.Columns {
		g.heads, g.drop = append(g.heads, headLines(col, c)), append(g.drop, col.drop)
		if i == 0 {
			g.heads, g.drop = append(g.heads, []string{c.text("table.interval")}), append(g.drop, 0)
		}
	}
	if r.Sizes {
		g.heads, g.drop = append(g.heads, []string{c.text("ranks.size")}), append(g.drop, len(r.Columns))
	}
	for _, s := range r.Languages {
		name := s.shortName() + s.Warming.Mark()
		if len(s.Alike) > 0 {
			name += " " + c.count("languages.more", len(s.Alike))
		}
		line := []entry{{main: s.Rank}, {main: printable(c.standsFor(s.Subject))}, {main: printable(name)}}
		for i, f := range s.Figures {
			line = append(line, entry{main: f.mainText()})
			if i == 0 {
				line = append(line, entry{main: f.Range()})
			}
		}
		if r.Sizes {
			line = append(line, entry{main: words(s.Size, "–")})
		}
		g.rows = append(g.rows, line)
	}
	g.fit(width)
	out := p.paint(bold, c.text("languages.title")) + "\n\n" + g.String(p) + "\n"
	if noted {
		out += present.Wrap(printable(c.text("languages.note", "metric", r.ByTitle)), width) + "\n\n"
	}
	if note := warmingNote(warmedStandings(r.Languages), c); note != "" {
		out += present.Wrap(printable(note), width) + "\n\n"
	}
	return out
}
