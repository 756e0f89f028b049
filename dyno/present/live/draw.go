package live

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
)

// terminalSize is the size of the terminal that standard error writes to.
func terminalSize() (columns, height int) {
	columns, height, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || columns < 20 || height < 3 {
		return 80, 24
	}
	return columns, height
}

// draw writes the display over the last one.
func (d *Dashboard) draw() {
	columns, height := d.size()
	lines := d.lines(columns, height)
	if len(lines) > height-1 {
		lines = lines[:height-1] // what scrolled away could not be written over
	}
	for i := range lines {
		lines[i] = present.Cut(lines[i], columns-1)
	}
	io.WriteString(d.w, d.above()+strings.Join(lines, "\x1b[K\n")+"\x1b[K\n\x1b[J")
	d.drawn = len(lines)
}

// erase takes the display off the screen.
func (d *Dashboard) erase() {
	io.WriteString(d.w, d.above()+"\x1b[J")
	d.drawn = 0
}

// above moves the cursor to the first line drawn.
func (d *Dashboard) above() string {
	if d.drawn == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", d.drawn)
}

func (d *Dashboard) lines(columns, height int) []string {
	lines := []string{d.progress(columns), ""}
	wide := 0
	for _, name := range d.subjects {
		wide = max(wide, present.Width(name))
	}
	shown := columnsFor(columns - wide)
	if d.phase == measuring {
		lines = append(lines, heading(d.t, wide, shown))
	}
	below := d.below()
	names, more := d.visible(height - 1 - len(lines) - len(below))
	for _, name := range names {
		mark := " "
		if name == d.running {
			mark = "▸"
		}
		lines = append(lines, mark+" "+present.Left(name, wide)+d.rows[name].text(shown))
	}
	if more > 0 {
		lines = append(lines, "  "+d.t.Count("live.more", uint64(more)))
	}
	return append(lines, below...)
}

// below are the lines under the subjects: what runs now, goals and problems.
func (d *Dashboard) below() []string {
	lines := []string{""}
	if d.now != "" {
		lines = append(lines, d.t.Text("live.now", "trial", d.now))
	}
	lines = append(lines, d.goals...)
	return append(lines, d.problems[max(0, len(d.problems)-3):]...)
}

// visible are the subjects that are shown in so many lines, and how many are not: all of
// them, or of more than a terminal is high the page with the one that something happens to.
func (d *Dashboard) visible(room int) (names []string, more int) {
	if len(d.subjects) <= room {
		return d.subjects, 0
	}
	size := max(room-1, 1) // the last line says how many more there are
	from := max(slices.Index(d.subjects, d.active), 0) / size * size
	names = d.subjects[from:min(from+size, len(d.subjects))]
	return names, len(d.subjects) - len(names)
}

// progress is a bar with the trials done and the time left.
func (d *Dashboard) progress(columns int) string {
	phase := ""
	if d.phase != "" {
		phase = d.t.Text(d.phase)
	}
	text := " " + d.t.Text("live.progress", "done", d.done, "total", d.total, "left", present.Roughly(d.left))
	wide := min(30, columns-1-present.Width(phase)-1-present.Width(text))
	if wide < 5 || d.total == 0 {
		return phase + text
	}
	filled := wide * d.done / d.total
	return phase + " " + strings.Repeat("█", filled) + strings.Repeat("░", wide-filled) + text
}

// column is one figure of the rows.
type column struct {
	name string // key of its text, or the name itself where it is the same everywhere
	wide int
	text func(*row) string
}

// columnsFor returns the columns that have room, the most important ones.
func columnsFor(room int) []column {
	all := []column{
		{"live.head.rate", 11, func(r *row) string { return present.Number(r.last.throughput) }},
		{"p99", 9, func(r *row) string { return r.last.p99 }},
		{"live.head.cpu", 10, func(r *row) string {
			if r.last.cpuPerRequest == 0 {
				return ""
			}
			return fmt.Sprintf("%.1fµs", r.last.cpuPerRequest)
		}},
		{"p50", 9, func(r *row) string { return r.last.p50 }},
		{"live.head.trials", 8, func(r *row) string { return fmt.Sprint(r.trials) }},
		{"live.head.errors", 9, func(r *row) string { return present.Number(float64(r.last.errors)) }},
	}
	room -= 3 // the mark, and the last column, which stays free
	for n, c := range all {
		if room -= c.wide; room < 0 {
			return all[:n]
		}
	}
	return all
}

func heading(t report.Texts, wide int, columns []column) string {
	line := strings.Repeat(" ", wide+2)
	for _, c := range columns {
		name := c.name
		if strings.HasPrefix(name, "live.") {
			name = t.Text(name)
		}
		line += present.Right(name, c.wide)
	}
	return line
}

// text is the figures, or what happens to the subject while there are none.
func (r *row) text(columns []column) string {
	if r.last.throughput == 0 {
		return "  " + r.state
	}
	line := ""
	for _, c := range columns {
		line += fmt.Sprintf("%*s", c.wide, c.text(r))
	}
	return line
}
