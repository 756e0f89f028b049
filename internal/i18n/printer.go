package i18n

import (
	"fmt"
	"io"
)

// Printer prints messages in a language, a line each.
type Printer struct {
	To  io.Writer
	Say Say
}

// Print prints a message.
func (p Printer) Print(m Message) { fmt.Fprintln(p.To, p.Say(m)) }
