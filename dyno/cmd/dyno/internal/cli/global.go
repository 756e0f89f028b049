package cli

import (
	"os"

	"golang.org/x/term"

	"dyno.example/dyno/report"
	"dyno.example/internal/build"
	"dyno.example/internal/i18n"
)

// Global are the flags that every command has.
type Global struct {
	Quiet   bool
	Plain   bool
	Lang    string
	Archive string
}

// LiveLines reports whether lines may be written over: on a terminal, unless
// asked not to.
func (g *Global) LiveLines() bool {
	return !g.Quiet && !g.Plain && term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
}

// Texts are those of the language asked for; English if there is no such language, which
// [CheckFlags] refuses.
func (g *Global) Texts() report.Texts { return textsIn(g.Lang) }

func textsIn(lang string) report.Texts {
	t, err := report.TextsIn(lang)
	if err != nil {
		return report.English()
	}
	return t
}

// Out is standard output for messages, in the language asked for.
func (g *Global) Out() i18n.Printer { return i18n.Printer{To: os.Stdout, Say: g.Texts().Say} }

// Err is standard error for progress and remarks, in the language asked for.
func (g *Global) Err() i18n.Printer { return i18n.Printer{To: os.Stderr, Say: g.Texts().Say} }

// Colour reports whether standard output may be coloured (https://no-color.org).
func Colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
}

// Width is the terminal's, or 100 columns where there is none.
func Width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		return w
	}
	return 100
}

// TableWidth is the terminal's, or 0 where there is none: what goes into a file or to
// another program is not broken into lines.
func TableWidth() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		return w
	}
	return 0
}

// Version is the module's version, or the commit it was built from.
func Version() string { return build.Read().Version }
