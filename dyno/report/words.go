package report

import (
	"fmt"
	"strings"

	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

// Quantity writes a figure of an analysis as a report does, with its unit and
// ordinary spaces: "8.50 µs", "81.2k req/s", "14.0 MiB".
func Quantity(unit string, x float64) string { return plainSpaces(quantity(unit, x)) }

// MarkdownText makes a text of any content show as it is in Markdown, on one
// line.
func MarkdownText(text string) string { return escape(text) }

// TerminalText replaces what a terminal would obey, and joins lines.
func TerminalText(text string) string { return printable(oneLine(text)) }

// TerminalList writes the title of a key and items below, which are reasons, or nothing
// without items, in lines of at most width columns; width 0 is any.
func TerminalList(b *strings.Builder, t Texts, title string, items []i18n.Message, width int) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s%s\n", t.Text(title), strings.TrimRight(t.Text("list.colon"), " "))
	for _, item := range items {
		b.WriteString(TerminalParagraph("  - ", TerminalText(t.Say(item)), width))
	}
}

// TerminalParagraph is a text in lines of at most width columns: the first begins with the
// mark, the others are indented as far; width 0 is unlimited.
func TerminalParagraph(mark, text string, width int) string {
	word := strings.TrimRight(mark, " ")
	in := present.Width(plain(word)) + len(mark) - len(word)
	if width > 0 {
		text = strings.ReplaceAll(present.Wrap(text, max(width-in, 1)), "\n", "\n"+strings.Repeat(" ", in))
	}
	return mark + text + "\n"
}

// MarkdownList is [TerminalList] in Markdown.
func MarkdownList(b *strings.Builder, t Texts, title string, items []i18n.Message) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n**%s%s**\n\n", t.Text(title), strings.TrimRight(t.Text("list.colon"), " "))
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", MarkdownText(t.Say(item)))
	}
}
