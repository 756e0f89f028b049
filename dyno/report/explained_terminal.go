package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/explain"
	"dyno.example/dyno/present"
)

// Explained writes why slow requests were slow for a terminal that is width characters
// wide (80 if not positive), in the language given.
func Explained(w io.Writer, list []explain.Explanation, lang string, width int, color bool) error {
	c, err := openLanguage(lang)
	if err != nil {
		return err
	}
	if width <= 0 {
		width = defaultWidth
	}
	p := painter{on: color}
	var out strings.Builder
	for i := range list {
		if i > 0 {
			out.WriteString("\n")
		}
		x := newExplained(&list[i], c)
		out.WriteString(x.terminal(c, width, p))
	}
	if _, err := io.WriteString(w, plainSpaces(out.String())); err != nil {
		return fmt.Errorf("report: writing what was explained: %w", err)
	}
	return nil
}

// ExplainedJSON writes explanations as JSON, one object after another, without the
// requests that are only drawn.
func ExplainedJSON(w io.Writer, list []explain.Explanation) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	for i := range list {
		e := list[i]
		e.Slowest, e.Beside = nil, nil
		if err := encoder.Encode(&e); err != nil {
			return fmt.Errorf("report: writing JSON: %w", err)
		}
	}
	return nil
}

func (x *explanation) terminal(c language, width int, p painter) string {
	out := ""
	if x.Title != "" {
		out = p.paint(bold, present.Clip(printable(x.Title), width)) + "\n"
	}
	out += present.Wrap(printable(x.Tail), width) + "\n"
	if len(x.Causes) == 0 {
		out += "\n" + p.paint(bold, x.Answer) + "\n"
	} else {
		rows := [][]string{{c.text("explained.cause"), c.text("explained.share"), c.text("explained.interval"), c.text("explained.lift"), c.text(x.CountKey())}}
		for i := range x.Causes {
			cause := &x.Causes[i]
			rows = append(rows, []string{cause.Name, cause.Share, cause.Interval, cause.Lift, cause.Requests})
		}
		rows = append(rows, []string{string(explain.Unexplained), x.Rest, "", "", ""})
		out += "\n" + alignedTable(rows, p)
		for i := range x.Causes {
			cause := &x.Causes[i]
			out += "\n" + p.paint(bold, cause.Name) + "\n" + indented(cause.Means, width)
			for _, one := range cause.Evidence {
				out += indented("- "+printable(one), width)
			}
			out += indented(c.text("explained.do")+" "+cause.Do, width)
		}
	}
	for _, table := range []struct {
		head  string
		parts []explainedPart
	}{{"explained.stage", x.Budget}, {"explained.server-timing", x.ServerTiming}} {
		if len(table.parts) == 0 {
			continue
		}
		rows := [][]string{{c.text(table.head), c.text("explained.ordinary"), c.text("explained.slow"), c.text("explained.more")}}
		for _, part := range table.parts {
			rows = append(rows, []string{present.Clip(printable(part.Stage), mostOfPart), part.Ordinary, part.Slow, part.More})
		}
		out += "\n" + alignedTable(rows, p)
	}
	if x.Profiles != "" {
		out += "\n" + present.Wrap(printable(x.Profiles), width) + "\n"
	}
	if len(x.Notes) > 0 {
		out += "\n"
	}
	for _, note := range x.Notes {
		out += present.Wrap(printable(note), width) + "\n"
	}
	return out
}

// mostOfPart is how wide the name of a part is at most: services make them.
const mostOfPart = 44

// alignedTable writes rows below their heads.
func alignedTable(rows [][]string, p painter) string {
	widths := columnWidths(rows)
	var out strings.Builder
	for i, row := range rows {
		line := alignedLine(row, widths)
		if i == 0 {
			line = p.paint(dim, line)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
