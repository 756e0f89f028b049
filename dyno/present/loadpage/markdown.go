package loadpage

import (
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/report"
)

// mostMarkdownRows are in a table of seconds; a page has more.
const mostMarkdownRows = 30

// Markdown writes the report in GitHub's flavour of Markdown, in the language of the
// texts: without charts, and without failed requests as they went over the wire.
func Markdown(w io.Writer, l *Load, t report.Texts) error {
	p := newPage(l, t)
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# %s\n", escape(p.Title))
	line("%s\n", escape(p.Describe))
	line("**%s**\n", escape(p.Summary))
	if p.Held != "" {
		line("**%s**; %s%s**%s**\n", p.Held, p.Text("badge.data"), p.Text("list.colon"), p.Word)
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Failed != nil || s.Folded && len(s.Rows) > mostMarkdownRows {
			continue
		}
		line("## %s\n", escape(s.Title))
		if s.Lead != "" {
			line("%s\n", escape(s.Lead))
		}
		s.table(line)
		for _, f := range s.Findings {
			line("- **%s** (%s, `%s`)%s%s", escape(f.Title), f.Word, f.Name, p.Text("list.colon"), escape(f.Detail))
		}
		for _, f := range s.Facts {
			line("- %s%s%s", escape(f[0]), p.Text("list.colon"), escape(f[1]))
		}
		if len(s.Findings)+len(s.Facts) > 0 {
			line("")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (s *section) table(line func(string, ...any)) {
	if len(s.Rows) == 0 {
		return
	}
	joined := func(list []string) string {
		escaped := make([]string, len(list))
		for i, text := range list {
			escaped[i] = escape(text)
		}
		return "| " + strings.Join(escaped, " | ") + " |"
	}
	line("%s", joined(s.Head))
	line("|---|%s", strings.Repeat("--:|", len(s.Head)-1))
	for _, r := range s.Rows {
		line("%s", joined(r.Texts))
	}
	line("")
	if s.Note != "" {
		line("%s\n", escape(s.Note))
	}
}

// escape keeps a text from being read as Markdown or HTML, and on one line.
func escape(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "#", "\\#").Replace(text)
}
