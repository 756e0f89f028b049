package report

import (
	"fmt"
	"strings"
)

// Quantity writes a figure of an analysis as a report does, with its unit and
// ordinary spaces: "8.50 µs", "81.2k req/s", "14.0 MiB".
func Quantity(unit string, x float64) string { return plainSpaces(quantity(unit, x)) }

// MarkdownText makes a text of any content show as it is in Markdown, on one
// line.
func MarkdownText(text string) string { return escape(text) }

// TerminalText replaces what a terminal would obey, and joins lines.
func TerminalText(text string) string { return printable(oneLine(text)) }

// TerminalList writes a title and its items below, or nothing without items.
func TerminalList(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, item := range items {
		fmt.Fprintf(b, "  - %s\n", TerminalText(item))
	}
}

// MarkdownList writes a title and its items below, or nothing without items.
func MarkdownList(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n**%s:**\n\n", title)
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", MarkdownText(item))
	}
}
